import GRDB
import LatchkeyModel
import LatchkeyNode
import Testing

extension ProcessTests {
  /// The rules of applications, the family's settings and granted time: registers of a child or of
  /// the family.
  @Suite struct ApplicationRulesTests {
    private func chess(_ node: NodeProcess) async throws -> AppListing? {
      try await node.apps().first { $0.appID.text == "org.gnome.Chess" }
    }

    /// A child with two machines, and two parents; the second one knows the first machine alone.
    private func family(
      _ lab: ProcessLab
    ) async throws -> (mum: NodeProcess, dad: NodeProcess, pc: NodeProcess, laptop: NodeProcess) {
      let (mum, pc) = try await lab.pairedFamily()
      _ = try await mum.api.ask(Endpoints.renameDevice, (pc.name, RenameRequest(childName: "Emma")))
      let laptop = try await lab.runningNode(.child, "Emma's laptop")
      try await lab.pair(mum, laptop)
      _ = try await mum.api.ask(Endpoints.renameDevice, (laptop.name, RenameRequest(childName: "Emma")))
      let dad = try await lab.runningNode(.parent, "Tom's laptop")
      try await lab.pair(dad, pc)
      // Before the machine has told what it holds, the name is that of another child.
      try await eventually("the second parent is told") { try await !dad.api.ask(Endpoints.getAccounts, nil).isEmpty }
      _ = try await dad.api.ask(Endpoints.renameDevice, (pc.name, RenameRequest(childName: "Emma")))
      try await eventually("the second parent knows the child") {
        try await dad.api.ask(Endpoints.getChildren).map(\.name.text) == ["Emma"]
      }
      return (mum, dad, pc, laptop)
    }

    @Test("A second parent's block leaves the first one's category and rate, and both parents show both")
    func twoParents() async throws {
      try await ProcessLab.run { lab in
        let (mum, dad, pc, laptop) = try await family(lab)
        let set = try await mum.latchkey(
          "app", "set", "org.gnome.Chess", "--category", "reward", "--points-per-minute", "2", "--name", "Chess",
          "--wait")
        #expect(set.status == 0, "\(set)")
        #expect(
          set.output.contains("Recorded on Emma's PC") && set.output.contains("Recorded on Emma's laptop"), "\(set)")
        try await eventually("the second parent sees it") { try await chess(dad)?.milliPointsPerMinute == 2_000 }

        let blocked = try await dad.latchkey("app", "set", "Chess", "--blocked", "--wait")
        #expect(blocked.status == 0, "\(blocked)")
        for node in [pc, dad, mum] {
          try await eventually("\(node.name) has what both set") {
            let app = try await chess(node)
            return app?.isBlocked == true && app?.category == .reward && app?.milliPointsPerMinute == 2_000
          }
        }
        // The other machine is not paired with the second parent, which the first one does not
        // speak for.
        #expect(try await chess(laptop)?.isBlocked == false)
        let listed = try await mum.latchkey("apps")
        #expect(listed.output.contains("Set by") && listed.output.contains("Tom's laptop"), "\(listed)")

        // Removing takes the rules of both away; the family's stay.
        _ = try await mum.latchkey("app", "set", "Chess", "--family", "--daily-limit", "30m", "--wait")
        try await eventually("the child has the family's limit") { try await chess(pc)?.limit == "30" }
        let removed = try await mum.latchkey("app", "remove", "Chess", "--child", "Emma", "--wait")
        #expect(removed.status == 0, "\(removed)")
        try await eventually("only the family's limit holds") {
          let app = try await chess(pc)
          return app?.isBlocked == false && app?.category == nil && app?.limit == "30"
        }
        let nothing = try await mum.latchkey("app", "remove", "org.gnome.Chess", "--child", "Emma")
        #expect(nothing.status == 67 && nothing.talk.contains("--family"), "\(nothing)")
      }
    }

    @Test("The family's settings are the same on every machine, and a zone that nobody chose never wins")
    func settings() async throws {
      try await ProcessLab.run { lab in
        let (mum, dad, pc, laptop) = try await family(lab)
        let zone = try await mum.api.ask(Endpoints.getSettings).rules.first { $0.key == "family/zone" }
        #expect(zone?.setAt == 0, "The first edit of the household has set the zone of the parent's machine.")
        _ = try await dad.latchkey("settings", "set", "--zone", "Asia/Tokyo", "--day-start", "4", "--wait")
        let set = try await mum.latchkey("settings", "set", "--daily-reward-limit", "1h", "--wait")
        #expect(set.status == 0, "\(set)")
        for node in [pc, mum, dad] {
          try await eventually("\(node.name) has what both set") {
            let values = try await node.api.ask(Endpoints.getSettings).settings.values
            return values["zone"] == .text("Asia/Tokyo") && values["dayStartHour"] == .number(4)
              && values["dailyRewardLimit"] == .text("60")
          }
        }
        #expect(try await laptop.api.ask(Endpoints.getSettings).settings.values["dailyRewardLimit"] == .text("60"))
        let wrong = try await mum.latchkey("settings", "set", "--zone", "Mars/Base")
        #expect(wrong.status == 64 && wrong.talk.contains("There is no time zone “Mars/Base”"), "\(wrong)")
      }
    }

    @Test(
      "Granted time is a rule of the day for all machines of the child, and a sibling's machine hears nothing of it")
    func grants() async throws {
      try await ProcessLab.run { lab in
        let (mum, pc) = try await lab.pairedFamily()
        _ = try await mum.api.ask(Endpoints.renameDevice, (pc.name, RenameRequest(childName: "Emma")))
        let only = try await mum.latchkey("grant", "30m", "--wait")
        #expect(only.status == 0 && only.talk.contains("Emma: 30 min more today."), "\(only)")
        let toms = try await lab.runningNode(.child, "Tom's PC")
        try await lab.pair(mum, toms)
        _ = try await mum.api.ask(Endpoints.renameDevice, (toms.name, RenameRequest(childName: "Tom")))
        let unclear = try await mum.latchkey("grant", "30m")
        #expect(unclear.status == 67 && unclear.talk.contains("Emma or Tom"), "\(unclear)")
        _ = try await mum.latchkey("app", "set", "org.gnome.Chess", "--child", "Emma", "--category", "reward")
        let app = try await mum.latchkey("grant", "Emma", "1h", "--for", "org.gnome.Chess", "--wait")
        #expect(app.status == 0, "\(app)")
        let values = try await pc.api.ask(Endpoints.getRules, "Emma").rules.filter { $0.key.text.hasPrefix("today/") }
        #expect(
          values.map(\.value).sorted() == ["30", "60 app:org.gnome.Chess"] && values.allSatisfy { $0.notInForce == nil }
        )
        await toms.kill()
        let held = try toms.read { try String.fetchAll($0, sql: "SELECT key FROM register WHERE key LIKE 'today/%'") }
        #expect(held.isEmpty, "\(held)")
        let wrong = try await mum.latchkey("grant", "Emma", "25h")
        #expect(wrong.status == 64 && wrong.talk.contains("1 minute to 24 hours"), "\(wrong)")
      }
    }
  }
}
