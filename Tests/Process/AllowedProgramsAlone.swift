import Foundation
import Glibc
import LatchkeyModel
import LatchkeyNode
import Testing

extension ProcessTests {
  /// Programs of the child's own where only listed or known applications may run: what closes them,
  /// what allows them, and which rules they keep to.
  ///
  /// Their agents close the programs that other tests start as the same user.
  @Suite(
    .enabled(
      if: BuiltProgram.isAnothers,
      "it closes all that this account has built, other tests too; root's Tools/test runs it as a user of its own"))
  struct AllowedProgramsAlone {
    /// A machine whose child has installed games in a folder of its own.
    private struct Games {
      let home: AgentHome
      let folder: String

      init(_ lab: ProcessLab) async throws {
        folder = lab.newPath()
        home = try await AgentHome(lab, variables: ["XDG_DATA_HOME": folder + "/.local/share"])
        for place in ["games", ".local/share/applications"] {
          try FileManager.default.createDirectory(atPath: "\(folder)/\(place)", withIntermediateDirectories: true)
        }
        for (id, name) in [("net.zirp.zirp", "Zirp"), ("quux", "Quux Game")] {
          try home.copy(to: path(of: id))
          try Data("[Desktop Entry]\nType=Application\nName=\(name)\nExec=\(path(of: id)) %U\n".utf8)
            .write(to: URL(fileURLWithPath: "\(folder)/.local/share/applications/\(id).desktop"))
        }
        let scanned = try await home.mum.latchkey("apps", "scan")
        guard scanned.output.contains("Quux Game"), scanned.output.contains("Zirp") else {
          throw LabFault("They are not found: \(scanned)")
        }
      }

      func path(of id: String) -> String { "\(folder)/games/\(id)" }

      /// Gives the menu entry of a game another ID and name.
      func rename(_ id: String, to other: String, name: String) throws {
        let menu = "\(folder)/.local/share/applications"
        try FileManager.default.removeItem(atPath: "\(menu)/\(id).desktop")
        try Data("[Desktop Entry]\nType=Application\nName=\(name)\nExec=\(path(of: id)) %U\n".utf8)
          .write(to: URL(fileURLWithPath: "\(menu)/\(other).desktop"))
      }

      /// Starts a game; returns whether it is closed.
      func isClosed(_ id: String) async throws -> Bool {
        let game = try home.play([path(of: id)])
        return await game.wait() == .signalled(SIGKILL)
      }

      /// Starts a game until it is left running as an application: the agent may not have its new
      /// orders yet.
      func runs(_ id: String) async throws {
        var game = try home.play([path(of: id)])
        try await eventually("\(id) runs as the application that it is") {
          if !game.isRunning { game = try home.play([path(of: id)]) }
          return try await home.pc.api.ask(Endpoints.getStatus).running.contains { $0.appID.text == id }
        }
        let executable = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/\(game.pid)/exe")
        #expect(executable == path(of: id))
        game.signal(SIGTERM)
        _ = await game.wait()
      }

      func refused() async throws -> [RefusedListing] { try await home.mum.api.ask(Endpoints.getRefused, "Emma") }

      /// Starts a game until the parent reads that it was refused, with its content.
      func refusal(of id: String) async throws -> RefusedListing {
        var found: RefusedListing?
        try await eventually("\(id) is listed as refused") {
          guard try await isClosed(id) else { return false }
          found = try await refused().first { $0.file == path(of: id) && !$0.isReplaceable }
          return found != nil
        }
        return try #require(found)
      }
    }

    @Test("A program of the child's own is allowed as the application that it is, which keeps to its limit, as is told")
    func limited() async throws {
      try await ProcessLab.run { lab in
        let games = try await Games(lab)
        let home = games.home
        _ = try await home.outcome(of: [("mode", "limits"), ("programs", "listed"), ("app/net.zirp.zirp/limit", "0")])
        let refused = try await games.refusal(of: "net.zirp.zirp")
        #expect(refused.appID.text == "net.zirp.zirp" && refused.displayName == "Zirp" && !refused.isNew, "\(refused)")
        #expect(refused.matcher?.hasPrefix("sha256 ") == true, "\(refused)")
        let allowed = try await home.mum.latchkey("apps", "allow", "Zirp", "--child", "Emma", "--wait")
        #expect(allowed.status == 0, "\(allowed)")
        #expect(
          allowed.talk.contains(games.path(of: "net.zirp.zirp")) && allowed.talk.contains("net.zirp.zirp"), "\(allowed)"
        )
        try await eventually("it is refused no longer") { try await games.refused().isEmpty }

        // Its limit holds, and that is what everybody reads.
        for _ in 0..<3 { #expect(try await games.isClosed("net.zirp.zirp")) }
        #expect(try await games.refused().isEmpty)
        for node in [home.mum, home.pc] {
          let explained = try await node.latchkey("explain", "Emma", "--app", "Zirp")
          #expect(explained.output.contains("not allowed") && !explained.talk.contains("apps allow"), "\(explained)")
        }
        let own = try await home.pc.api.ask(Endpoints.getOwnToday).apps.filter {
          $0.displayName.lowercased().contains("zirp")
        }
        #expect(own.map(\.appID.text) == ["net.zirp.zirp"] && own.map(\.verdict.isAllowed) == [false], "\(own)")
        _ = try await home.outcome(of: [("app/net.zirp.zirp/limit", nil)])
        try await games.runs("net.zirp.zirp")
        // Where all programs may run, its next version keeps to the limit as well.
        try Data("next".utf8).append(to: games.path(of: "net.zirp.zirp"))
        _ = try await home.outcome(of: [("programs", "all"), ("app/net.zirp.zirp/limit", "0")])
        try await eventually("its next version is closed") { try await games.isClosed("net.zirp.zirp") }

        // Another name and another file of its menu entry make it no other application.
        try games.rename("net.zirp.zirp", to: "lesson", name: "Lesson")
        let scanned = try await home.mum.latchkey("apps", "scan")
        #expect(scanned.output.contains("Zirp") && !scanned.output.contains("Lesson"), "\(scanned)")
        for _ in 0..<3 { #expect(try await games.isClosed("net.zirp.zirp")) }
        _ = try await home.outcome(of: [("programs", "listed")])
        let renamed = try await games.refusal(of: "net.zirp.zirp")
        #expect(renamed.appID.text == "net.zirp.zirp" && renamed.displayName == "Zirp", "\(renamed)")
      }
    }

    @Test(
      "The commands that explain names let a program of the child's own run, and it tells what is closed until then")
    func explained() async throws {
      try await ProcessLab.run { lab in
        let games = try await Games(lab)
        let home = games.home
        func first(_ node: NodeProcess) async throws -> String {
          let explained = try await node.latchkey("explain", "Emma", "--app", "quux")
          return explained.output + explained.talk
        }
        _ = try await home.outcome(of: [("mode", "limits"), ("programs", "listed")])
        _ = try await games.refusal(of: "quux")
        #expect(try await first(home.mum).contains("`latchkey apps allow quux --child Emma`"))

        // A category alone lets nothing run, and that is told.
        _ = try await home.outcome(of: [("app/quux/category", "neutral")])
        for node in [home.mum, home.pc] {
          try await eventually("it is told to be closed") {
            let words = try await first(node)
            return words.contains("not allowed") && words.contains("`latchkey apps allow quux --child Emma`")
          }
        }
        let today = try await home.pc.api.ask(Endpoints.getOwnToday).apps.first { $0.appID.text == "quux" }
        #expect(today?.verdict.isAllowed == false, "\(String(describing: today))")
        #expect(try await games.isClosed("quux"))
        let allowed = try await home.mum.latchkey("apps", "allow", "Quux Game", "--child", "Emma", "--wait")
        #expect(allowed.status == 0, "\(allowed)")
        try await games.runs("quux")
        for node in [home.mum, home.pc] {
          try await eventually("it is told to be allowed") {
            let words = try await first(node)
            return words.contains("allowed") && !words.contains("not allowed") && !words.contains("apps allow")
          }
        }

        // What the child puts at its place is another program.
        try Data("evil".utf8).append(to: games.path(of: "quux"))
        let next = try await games.refusal(of: "quux")
        #expect(next.appID.text == "quux" && next.isListed && next.matchers.count == 1, "\(next)")
      }
    }

    @Test("Where unknown programs are blocked, Latchkey's own commands run, although anybody can change their file")
    func ownCommands() async throws {
      try await ProcessLab.run { lab in
        let home = try await AgentHome(lab)
        let folder = lab.newPath()
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
        for name in ["latchkey", "latchkey-agent"] {
          try FileManager.default.copyItem(atPath: BuiltProgram.path(of: name), toPath: "\(folder)/\(name)")
        }
        #expect(await home.pc.terminate() == .exited(0))
        await home.pc.use(program: folder + "/latchkey")
        try await home.pc.start()
        try await eventually("its agent has orders") {
          try await home.pc.api.ask(Endpoints.getOwnToday).enforcement == .ownPrograms
        }
        try await home.set([("unknownPrograms", "block")])
        let unknown = try home.play()
        #expect(await unknown.wait() == .signalled(SIGKILL))
        for _ in 0..<24 {
          let result = try await lab.run(folder + "/latchkey", ["me", "--state-dir", home.pc.folder])
          #expect(result.status == 0, "\(result)")
        }
      }
    }
  }
}

extension Data {
  /// Writes the bytes at the end of a file.
  fileprivate func append(to path: String) throws {
    let file = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
    try file.seekToEnd()
    try file.write(contentsOf: self)
    try file.close()
  }
}
