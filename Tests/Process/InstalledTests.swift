import Foundation
import GRDB
import LatchkeyModel
import LatchkeyNode
import Testing

extension ProcessTests {
  /// What is installed on children's machines: found, told to parents, and used to name
  /// applications.
  @Suite struct InstalledTests {
    /// Puts an entry into the menus of a machine.
    private func install(_ id: String, _ name: String, _ categories: String, in share: String) throws {
      try FileManager.default.createDirectory(atPath: share + "/applications", withIntermediateDirectories: true)
      try Data("[Desktop Entry]\nType=Application\nName=\(name)\nCategories=\(categories)\n".utf8)
        .write(to: URL(fileURLWithPath: "\(share)/applications/\(id).desktop"))
    }

    private func apps(of machine: String, at node: NodeProcess) async throws -> [String] {
      try await node.api.ask(Endpoints.getInstalled, (machine, nil)).flatMap(\.apps).map(\.appID.text)
    }

    /// A child with two machines, on each of which something is installed.
    private func family(
      _ lab: ProcessLab
    ) async throws -> (mum: NodeProcess, pc: NodeProcess, laptop: NodeProcess) {
      for (id, name, categories) in [
        ("supertuxkart", "SuperTuxKart", "Game;"), ("supertux2", "SuperTux 2", "Game;"),
        ("tuxmath", "Tux Math", "Education;Math;"), ("org.gnome.Chess", "Chess", "Game;"),
      ] { try install(id, name, categories, in: lab.folder + "/pc") }
      try install("org.kde.krita", "Krita", "Graphics;", in: lab.folder + "/laptop")
      let mum = try await lab.runningNode(.parent, "Kitchen laptop")
      var machines: [NodeProcess] = []
      for (name, share) in [("Emma's PC", "pc"), ("Emma's laptop", "laptop")] {
        let machine = try await lab.node(.child, name, variables: ["XDG_DATA_DIRS": "\(lab.folder)/\(share)"])
        try await machine.start()
        try await lab.pair(mum, machine)
        _ = try await mum.api.ask(Endpoints.renameDevice, (name, RenameRequest(childName: "Emma")))
        try await eventually("\(name) is Emma's") {
          try await machine.api.ask(Endpoints.getChildren).map(\.name.text) == ["Emma"]
        }
        machines.append(machine)
      }
      try await eventually("both have told what is installed") {
        try await mum.api.ask(Endpoints.getInstalled, (nil, nil)).map(\.apps.count) == [4, 1]
      }
      return (mum, machines[0], machines[1])
    }

    @Test("A parent sees what is installed on a machine, also when it is off, until the machine is removed")
    func listed() async throws {
      try await ProcessLab.run { lab in
        let (mum, pc, laptop) = try await family(lab)
        let several = try await mum.latchkey("apps", "scan")
        #expect(several.status == 67 && several.talk.contains("--on"), "\(several)")
        let listed = try await mum.latchkey("apps", "scan", "--on", "Emma's PC")
        #expect(listed.status == 0 && listed.talk.isEmpty, "\(listed)")
        for text in ["SuperTuxKart", "supertux2", "Tux Math", "learning by default", "org.gnome.Chess"] {
          #expect(listed.output.contains(text), "\(listed)")
        }
        #expect(listed.output.split(separator: "\n").allSatisfy { $0.count <= 80 }, "\(listed)")

        // What was installed a moment ago is there when a parent asks.
        try install("org.kde.kturtle", "KTurtle", "Education;", in: lab.folder + "/pc")
        let json = try await mum.latchkey("apps", "scan", "--on", "Emma's PC", "--format", "json")
        let machine = try json.decode(InstalledListing.self)
        #expect(machine.apps.contains { $0.displayName == "KTurtle" && $0.suggestion == .learning }, "\(json)")
        #expect(machine.number == 2 && machine.deviceName.text == "Emma's PC")
        let own = try await pc.latchkey("apps", "scan", "--format", "csv")
        #expect(own.status == 0 && own.output.contains("Emma's PC,org.kde.kturtle,KTurtle,,learning,Emma"), "\(own)")
        let asked = try await mum.api.ask(Endpoints.getCommands, ("Emma's PC", 5)).first
        #expect(asked?.payload.kind == "scanApplications" && asked?.status == .executed)

        #expect(await pc.terminate() == .exited(0))
        try await mum.restart()
        let off = try await mum.latchkey("apps", "scan", "--on", "Emma's PC")
        #expect(off.status == 0 && off.output.contains("KTurtle"), "\(off)")
        #expect(off.talk.contains("As of ") && off.talk.contains("Emma's PC is off."), "\(off)")
        let waited = try await mum.latchkey("apps", "scan", "--on", "Emma's PC", "--wait", "1s")
        #expect(waited.status == 75 && waited.output.contains("KTurtle"), "\(waited)")

        // What was removed while the machine was off is told when it starts, without being asked.
        try FileManager.default.removeItem(atPath: lab.folder + "/pc/applications/supertux2.desktop")
        try await pc.start()
        try await eventually("the parent knows") {
          try await apps(of: "Emma's PC", at: mum) == ["org.gnome.Chess", "org.kde.kturtle", "supertuxkart", "tuxmath"]
        }
        let dad = try await lab.runningNode(.parent, "Tom's laptop")
        try await lab.pair(dad, pc)
        try await eventually("the second parent knows") { try await apps(of: "Emma's PC", at: dad).count == 4 }

        _ = try await mum.api.ask(Endpoints.forgetDevice, "Emma's PC")
        #expect(try await mum.api.ask(Endpoints.getInstalled, (nil, nil)).map(\.deviceName.text) == [laptop.name])
        let count = try mum.read {
          try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM inventory WHERE kind = 'installed'")
        }
        #expect(count == 1)
      }
    }

    @Test(
      "An application is named by what is installed: a name or beginning that fits one; a misspelt one is asked about")
    func named() async throws {
      try await ProcessLab.run { lab in
        let (mum, _, _) = try await family(lab)
        let misspelt = try await mum.latchkey("app", "set", "supertuxcart", "--blocked")
        #expect(misspelt.status == 67 && misspelt.talk.contains("Did you mean"), "\(misspelt)")
        #expect(misspelt.talk.contains("supertuxkart") && misspelt.talk.contains("Emma's PC"), "\(misspelt)")
        let unknown = try await mum.latchkey("app", "set", "org.example.Later", "--blocked")
        #expect(unknown.status == 67 && unknown.talk.contains("--new"), "\(unknown)")
        let new = try await mum.latchkey("app", "set", "org.example.Later", "--blocked", "--new")
        #expect(new.status == 0, "\(new)")
        let several = try await mum.latchkey("app", "set", "supertux", "--blocked")
        #expect(
          several.status == 67 && several.talk.contains("supertux2") && several.talk.contains("supertuxkart"),
          "\(several)")
        let krita = try await mum.latchkey("app", "set", "krit", "--category", "learning")
        #expect(krita.status == 0 && krita.talk.contains("Krita learning"), "\(krita)")
        #expect(try await mum.apps().first { $0.appID.text == "org.kde.krita" }?.displayName == "Krita")
        let granted = try await mum.latchkey("grant", "Emma", "30m", "--for", "SuperTuxKart")
        #expect(granted.status == 0, "\(granted)")
        #expect(
          try await mum.api.ask(Endpoints.getRules, "Emma").rules.contains { $0.value == "30 app:supertuxkart" },
          "\(granted)")
        let explained = try await mum.latchkey("explain", "--app", "tux m", "--format", "json")
        #expect(try explained.decode(ChildExplanation.self).app.appID.text == "tuxmath", "\(explained)")
        let unexplained = try await mum.latchkey("explain", "--app", "tuxmeth")
        #expect(unexplained.status == 67 && unexplained.talk.contains("Did you mean"), "\(unexplained)")
      }
    }

    @Test("A well-known game costs points from the start; a parent's setting holds instead, and --reset brings it back")
    func byDefault() async throws {
      try await ProcessLab.run(hasAgents: true) { lab in
        let (mum, pc, _) = try await family(lab)
        func kart(_ node: NodeProcess) async throws -> AppListing? {
          try await node.apps().first { $0.appID.text == "supertuxkart" }
        }
        for node in [mum, pc] {
          let app = try await kart(node)
          #expect(app?.category == .reward && app?.isByDefault == true && app?.milliPointsPerMinute == 1_000)
        }
        for command in [["apps"], ["rules", "Emma"]] {
          let shown = try await mum.latchkey(command)
          #expect(shown.output.contains("by default") && shown.output.contains("SuperTuxKart"), "\(shown)")
        }
        // The machine records by the default, without a word of a parent's.
        let used = try await pc.latchkey("usage", "track", "--app", "tuxmath", "--", "/bin/true")
        #expect(used.status == 0, "\(used)")
        try await eventually("the record is a learning one") {
          try await pc.usage().first?.category == .learning
        }
        #expect(try await pc.usage().first?.displayName == "Tux Math", "It has the name that the machine has found.")
        let family = try await mum.latchkey("app", "set", "SuperTuxKart", "--family", "--category", "neutral", "--wait")
        #expect(family.status == 0, "\(family)")
        let own = try await mum.latchkey(
          "app", "set", "SuperTuxKart", "--child", "Emma", "--category", "learning", "--wait")
        #expect(own.status == 0, "\(own)")
        for node in [mum, pc] {
          let app = try await kart(node)
          #expect(app?.category == .learning && app?.isByDefault == false, "\(node.name)")
        }
        let reset = try await mum.latchkey("app", "set", "SuperTuxKart", "--reset", "--wait")
        #expect(reset.status == 0 && reset.talk.contains("what is set for the family holds"), "\(reset)")
        for node in [mum, pc] { #expect(try await kart(node)?.category == .neutral, "\(node.name)") }
        let all = try await mum.latchkey("app", "set", "SuperTuxKart", "--family", "--reset", "--wait")
        #expect(all.status == 0 && all.talk.contains("default, reward"), "\(all)")
        for node in [mum, pc] {
          let app = try await kart(node)
          #expect(app?.category == .reward && app?.isByDefault == true, "\(node.name)")
        }
        let nothing = try await mum.latchkey("app", "set", "supertuxkart", "--reset")
        #expect(nothing.status == 0 && nothing.talk.contains("Nothing was set."), "\(nothing)")
        let both = try await mum.latchkey("app", "set", "supertuxkart", "--reset", "--blocked")
        #expect(both.status == 64, "\(both)")
      }
    }
  }
}
