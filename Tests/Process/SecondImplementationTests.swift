import Foundation
import LatchkeyModel
import LatchkeyNode
import Testing

extension ProcessTests {
  /// The Python peer, which was written from `Protocol/` alone, as a child and as a parent of real
  /// nodes.
  @Suite struct SecondImplementationTests {
    /// One line of the peer's output.
    private struct Event: Decodable {
      var event: String
      var outcome: String?
      var id: String?
    }

    /// The part of `usage list` that the tests read.
    private struct Use: Decodable {
      var appID: String
      var activeMilliseconds: Int
      var recordID: String
    }

    /// The part of `commands list` that the tests read.
    private struct Asked: Decodable { var status: String }

    private static let folder: String = {
      var package = URL(fileURLWithPath: #filePath)
      for _ in 0..<3 { package.deleteLastPathComponent() }
      return package.appendingPathComponent("Tools/python-peer").path
    }()

    /// Runs the peer to its end.
    private func peer(
      _ arguments: [String], of parent: NodeProcess, input: String = "", killedAt point: String? = nil
    ) async throws -> (result: CommandResult, events: [Event]) {
      let crash = point.map { ["LATCHKEY_PEER_KILL_AT=\($0)"] } ?? []
      let result = try await parent.lab.run(
        "/usr/bin/env", crash + ["\(Self.folder)/run"] + arguments, input: input)
      let events = try result.output.split(separator: "\n").map {
        try JSONDecoder().decode(Event.self, from: Data($0.utf8))
      }
      return (result, events)
    }

    private func address(of parent: NodeProcess) async throws -> [String] {
      ["--peer", "127.0.0.1:\(try await parent.port())"]
    }

    private func sendText(_ text: String, from parent: NodeProcess) async throws {
      let sent = try await parent.latchkey("message", "send", text, "--on", "Python PC")
      #expect(sent.status == 0, "\(sent)")
    }

    private func statuses(_ parent: NodeProcess) async throws -> [String] {
      try await parent.latchkey("commands", "list", "--format", "json").decode([Asked].self).map(\.status)
    }

    private func uses(_ parent: NodeProcess) async throws -> [Use] {
      try await parent.latchkey("usage", "list", "--format", "json").decode([Use].self)
    }

    @Test("It agrees with every example and vector of the specification")
    func vectors() async throws {
      try await ProcessLab.run { lab in
        let result = try await lab.run("\(Self.folder)/selftest", [])
        #expect(result.status == 0, "\(result)")
      }
    }

    private static let scenarios = [
      "child_of_a_real_parent", "parent_of_real_children", "parent_beside_a_real_parent", "what_a_parent_refuses",
      "what_a_child_refuses", "decides_like_a_real_child", "learning_at_once_earns_once", "shares_an_account",
    ]

    // Two at a time, since much of it is waiting.
    @Test("It lives in households of real nodes, as a child's machine and as a parent's")
    func livesInHouseholds() async throws {
      try await withThrowingTaskGroup(of: Void.self) { group in
        for first in 0..<2 {
          group.addTask {
            for number in stride(from: first, to: Self.scenarios.count, by: 2) {
              try await live(in: Self.scenarios[number])
            }
          }
        }
        try await group.waitForAll()
      }
    }

    private func live(in scenario: String) async throws {
      try await ProcessLab.run { lab in
        let result = try await lab.run("\(Self.folder)/household", [BuiltProgram.path, scenario])
        #expect(result.status == 0, "\(scenario): \(result)")
      }
    }

    @Test(
      "It joins with either code, sends a usage record, and executes and answers a command", arguments: [false, true])
    func joinsAndSyncs(typed: Bool) async throws {
      try await ProcessLab.run { lab in
        let parent = try await lab.runningNode(.parent, "Kitchen laptop")
        let way = ["--folder", lab.newPath()] + (try await address(of: parent))
        let invited = try await parent.api.ask(Endpoints.invite, InviteRequest(acceptWithoutAsking: true))
        let code = try #require(typed ? invited.typedCode : invited.code)
        let joined = try await peer(["join", "--yes", "--name", "Python PC"] + way, of: parent, input: code + "\n")
        #expect(joined.result.status == 0 && joined.events.last?.event == "paired", "\(joined.result)")
        #expect(try await parent.api.ask(Endpoints.getDevices).map(\.device.name.text) == ["Python PC"])

        try await sendText("Dinner is ready", from: parent)
        _ = try await parent.set("app/org.gnome.Chess/category", "learning", on: "Python PC")
        let synced = try await peer(
          ["sync", "--usage", "org.gnome.Chess:12", "--commands", "2"] + way, of: parent)
        #expect(synced.result.status == 0, "\(synced.result)")
        #expect(synced.events.filter { $0.event == "command" }.map(\.outcome) == ["executed", "executed"])
        #expect(try await statuses(parent) == ["executed", "executed"])
        let used = try await uses(parent)
        #expect(used.map(\.appID) == ["org.gnome.Chess"] && used.map(\.activeMilliseconds) == [720_000])
        #expect(used.map(\.recordID) == synced.events.filter { $0.event == "usage" }.map(\.id))
      }
    }

    @Test(
      "Killed before or after it acknowledged the pairing, it completes the pairing in its first session",
      arguments: ["pending", "acknowledged"])
    func killedInPairing(point: String) async throws {
      try await ProcessLab.run { lab in
        let parent = try await lab.runningNode(.parent, "Kitchen laptop")
        let way = ["--folder", lab.newPath()] + (try await address(of: parent))
        let code = try await lab.code(from: parent)
        let joined = try await peer(
          ["join", "--yes", "--name", "Python PC"] + way, of: parent, input: code + "\n", killedAt: point)
        #expect(joined.result.end == .signalled(SIGKILL), "\(joined.result)")
        let synced = try await peer(["sync"] + way, of: parent)
        #expect(synced.result.status == 0 && synced.events.contains { $0.event == "completed" }, "\(synced.result)")
        #expect(try await parent.api.ask(Endpoints.getDevices).map(\.device.name.text) == ["Python PC"])
        try await eventually("the code is spent") { try await parent.api.ask(Endpoints.getPairings).isEmpty }
      }
    }

    @Test("The code of a machine that was already paired is closed by the session that completes the pairing")
    func spendsCodeOfPairedMachine() async throws {
      try await ProcessLab.run { lab in
        let parent = try await lab.runningNode(.parent, "Kitchen laptop")
        let address = try await address(of: parent)
        let way = ["--folder", lab.newPath()] + address
        let first = try await peer(
          ["join", "--yes", "--name", "Python PC"] + way, of: parent, input: try await lab.code(from: parent) + "\n")
        #expect(first.result.status == 0, "\(first.result)")
        for _ in 0..<2 {
          let code = try await lab.code(from: parent)
          let again = try await peer(["join", "--yes"] + way, of: parent, input: code + "\n", killedAt: "pending")
          #expect(again.result.end == .signalled(SIGKILL), "\(again.result)")
          let synced = try await peer(["sync"] + way, of: parent)
          #expect(synced.result.status == 0 && synced.events.contains { $0.event == "completed" }, "\(synced.result)")
          let other = ["--folder", lab.newPath()] + address
          let late = try await peer(["join", "--yes", "--name", "Late PC"] + other, of: parent, input: code + "\n")
          #expect(late.events.last?.outcome == "expired", "\(late.result)")
        }
        #expect(try await parent.api.ask(Endpoints.getDevices).map(\.device.name.text) == ["Python PC"])
        #expect(try await parent.api.ask(Endpoints.getPairings).isEmpty)
      }
    }

    @Test("Killed before or after its commit, it executes each command once")
    func killedInCommit() async throws {
      try await ProcessLab.run { lab in
        let parent = try await lab.runningNode(.parent, "Kitchen laptop")
        let way = ["--folder", lab.newPath()] + (try await address(of: parent))
        let code = try await lab.code(from: parent)
        let joined = try await peer(["join", "--yes", "--name", "Python PC"] + way, of: parent, input: code + "\n")
        #expect(joined.result.status == 0, "\(joined.result)")
        for text in ["one", "two", "three"] { try await sendText(text, from: parent) }
        for point in ["received", "committed"] {
          let killed = try await peer(["sync", "--commands", "3"] + way, of: parent, killedAt: point)
          #expect(killed.result.end == .signalled(SIGKILL), "\(killed.result)")
          #expect(try await statuses(parent) == ["queued", "queued", "queued"])
        }
        let synced = try await peer(["sync"] + way, of: parent)
        #expect(synced.result.status == 0, "\(synced.result)")
        #expect(!synced.events.contains { $0.event.hasPrefix("command") }, "\(synced.result)")
        #expect(try await statuses(parent) == ["executed", "executed", "executed"])
      }
    }

    @Test("When another device is removed, it adopts the new keys and continues with them")
    func takesNewKeys() async throws {
      try await ProcessLab.run { lab in
        let parent = try await lab.runningNode(.parent, "Kitchen laptop")
        let child = try await lab.runningNode(.child, "Emma's PC")
        let way = ["--folder", lab.newPath()] + (try await address(of: parent))
        let code = try await lab.code(from: parent)
        let joined = try await peer(["join", "--yes", "--name", "Python PC"] + way, of: parent, input: code + "\n")
        #expect(joined.result.status == 0, "\(joined.result)")
        try await lab.pair(parent, child)
        #expect(try await parent.latchkey("devices", "unpair", "Emma's PC").status == 0)
        let synced = try await peer(["sync"] + way, of: parent)
        #expect(synced.result.status == 0 && synced.events.contains { $0.event == "keys" }, "\(synced.result)")
        try await sendText("Dinner is ready", from: parent)
        let again = try await peer(["sync", "--commands", "1"] + way, of: parent)
        #expect(again.result.status == 0, "\(again.result)")
        #expect(try await statuses(parent) == ["executed"])
      }
    }

    @Test("It finds the parent over mDNS by the discriminator to join, and by the household's hint to sync")
    func discovers() async throws {
      try await ProcessLab.run { lab in
        let parent = try await lab.runningNode(.parent, "Kitchen laptop", [])
        let way = ["--folder", lab.newPath(), "--interfaces", "lo"]
        let invited = try await parent.api.ask(Endpoints.invite, InviteRequest(acceptWithoutAsking: true))
        let code = try #require(invited.typedCode)
        let joined = try await peer(["join", "--yes", "--name", "Python PC"] + way, of: parent, input: code + "\n")
        #expect(joined.result.status == 0, "\(joined.result)")
        // Elsewhere than where it was met, so that only its announcement leads there.
        _ = await parent.terminate()
        try await parent.start(["--port", "\(try lab.freePort())"])
        let synced = try await peer(["sync", "--usage", "org.gnome.Chess:1"] + way, of: parent)
        #expect(synced.result.status == 0, "\(synced.result)")
        #expect(try await uses(parent).map(\.appID) == ["org.gnome.Chess"])
      }
    }
  }
}
