import GRDB
import LatchkeyModel
import LatchkeyNode
import Testing

extension ProcessTests {
  /// The rules of a child: set on one parent, held by every machine of the child's, shown on all of
  /// them.
  @Suite struct ChildRulesTests {
    private func rules(_ node: NodeProcess) async throws -> [String: String] {
      let rules = try await node.api.ask(Endpoints.getRules, nil).rules
      return Dictionary(uniqueKeysWithValues: rules.map { ($0.key.text, $0.value) })
    }

    @Test(
      "Two parents set different rules of one child; both of the child's machines and both parents have all of them")
    func twoParentsTwoMachines() async throws {
      try await ProcessLab.run { lab in
        let (mum, pc) = try await lab.pairedFamily()
        _ = try await mum.api.ask(Endpoints.renameDevice, (pc.name, RenameRequest(childName: "Emma")))
        let set = try await mum.latchkey("limit", "set", "--daily", "2h", "--weekends", "3h", "--wait")
        #expect(set.status == 0 && set.talk.contains("Emma: screen time a day 2 h."), "\(set)")
        #expect(set.talk.contains("Emma: screen time on Saturdays and Sundays 3 h."), "\(set)")

        // A machine that joins later gets what is set.
        let laptop = try await lab.runningNode(.child, "Emma's laptop")
        try await lab.pair(mum, laptop)
        _ = try await mum.api.ask(Endpoints.renameDevice, (laptop.name, RenameRequest(childName: "Emma")))
        let limit = ["limits/daily": "120", "limits/daily/sat": "180", "limits/daily/sun": "180"]
        try await eventually("the new machine has the limit") { (try? await rules(laptop)) == limit }

        let dad = try await lab.runningNode(.parent, "Tom's laptop")
        try await lab.pair(dad, pc)
        try await eventually("the accounts are known") { try await !dad.api.ask(Endpoints.getAccounts, nil).isEmpty }
        _ = try await dad.api.ask(Endpoints.renameDevice, (pc.name, RenameRequest(childName: "Emma")))
        let bedtime = try await dad.latchkey("bedtime", "set", "20:00-07:00", "--wait")
        #expect(bedtime.status == 0 && bedtime.output.contains("bedtime 20:00-07:00"), "\(bedtime)")
        let both = limit.merging(["schedule/bedtime": "20:00-07:00"]) { $1 }
        try await eventually("the machine has both") { try await rules(pc) == both }
        try await eventually("the other parent sees both") { try await rules(mum) == both }
        #expect(try await rules(dad) == both)
        // The laptop is paired with one parent alone, and does not have the other's bedtime.
        let shown = try await mum.api.ask(Endpoints.getRules, nil).rules
        #expect(shown.first { $0.key == "schedule/bedtime" }?.missing.map(\.text) == [laptop.name], "\(shown)")
        #expect(shown.first { $0.key == "limits/daily" }?.missing.isEmpty == true)
        let listed = try await mum.latchkey("rules", "Emma")
        #expect(listed.output.contains("Tom's laptop") && listed.output.contains("Kitchen laptop"), "\(listed)")
        #expect(listed.talk.contains("not on Emma's laptop"), "\(listed)")
        #expect(listed.output.contains("For the whole family:"), "\(listed)")
        try await eventually("the other parent knows that there is another machine") {
          try await dad.api.ask(Endpoints.getChildren).first?.elsewhere == 1
        }
        #expect(try await mum.api.ask(Endpoints.getChildren).first?.elsewhere == 0)
        let lock = try await dad.latchkey("lock", "Emma", "--wait")
        #expect(lock.status == 0 && lock.talk.contains("Emma has one more machine"), "\(lock)")
        _ = try await dad.latchkey("unlock", "Emma", "--wait")

        // Of two edits of one rule the later one holds, whoever made it.
        _ = try await mum.latchkey("bedtime", "set", "21:00-07:00", "--wait")
        try await eventually("the other parent sees the later one") {
          try await rules(dad)["schedule/bedtime"] == "21:00-07:00"
        }
        // What one option sets leaves the other as it is.
        let shorter = try await mum.latchkey("limit", "set", "--daily", "1h")
        #expect(shorter.talk.contains("Emma: screen time a day 1 h."), "\(shorter)")
        #expect(try await rules(mum)["limits/daily/sat"] == "180")
        let same = try await mum.latchkey("limit", "remove", "--weekends")
        #expect(same.talk.contains("Emma: no separate limit for screen time on Saturdays and Sundays."), "\(same)")
        let listing = try await mum.latchkey("rules", "Emma")
        #expect(!listing.output.contains("Saturdays"), "\(listing)")
        let nothing = try await mum.latchkey("times", "--school", "none")
        #expect(nothing.status == 67 && nothing.talk.contains("Emma has no rule “school time”"), "\(nothing)")
        let settings = try await mum.latchkey("settings", "set", "--child", "Emma", "--rewards", "redeem-first")
        #expect(settings.status == 0, "\(settings)")
        _ = try await mum.latchkey("lock", "Emma", "--wait")
        #expect(try await rules(pc)["points/use"] == "redeemFirst")
        #expect(try await rules(pc)["lock"] == "on")
        try await pc.restart()
        #expect(try await rules(pc)["lock"] == "on", "What was set survives kill -9.")
      }
    }

    @Test("Of edits at once, on one parent's machine and on two, each holds")
    func editsAtOnce() async throws {
      try await ProcessLab.run { lab in
        let (mum, pc) = try await lab.pairedFamily()
        _ = try await mum.api.ask(Endpoints.renameDevice, (pc.name, RenameRequest(childName: "Emma")))
        let dad = try await lab.runningNode(.parent, "Tom's laptop")
        try await lab.pair(dad, pc)
        try await eventually("the accounts are known") { try await !dad.api.ask(Endpoints.getAccounts, nil).isEmpty }
        _ = try await dad.api.ask(Endpoints.renameDevice, (pc.name, RenameRequest(childName: "Emma")))
        try await eventually("both parents know the child") {
          try await dad.api.ask(Endpoints.getChildren).first?.elsewhere == 0
        }
        _ = try await mum.latchkey("limit", "set", "--family", "--daily", "10h")

        func edit(_ parent: NodeProcess, _ commands: [[String]]) async throws {
          try await withThrowingTaskGroup(of: Void.self) { group in
            for command in commands {
              group.addTask {
                let set = try await parent.latchkey(command)
                #expect(set.status == 0, "\(set)")
              }
            }
            try await group.waitForAll()
          }
        }
        try await edit(
          mum,
          [
            ["limit", "set", "--daily", "2h"], ["limit", "set", "--weekends", "3h"],
            ["app", "set", "kart", "--new", "--category", "reward"], ["app", "set", "kart", "--new", "--name", "Kart"],
            ["limit", "set", "--category", "reward", "--daily", "wed 1h"],
            ["limit", "set", "--category", "reward", "--daily", "thu 2h"],
          ])
        var expected = [
          "limits/daily": "120", "limits/daily/sat": "180", "limits/daily/sun": "180", "app/kart/category": "reward",
          "app/kart/name": "Kart", "category/reward/limit/wed": "60", "category/reward/limit/thu": "120",
        ]
        try await eventually("the machine has all of them") { try await rules(pc) == expected }
        try await eventually("the other parent sees them") { try await rules(dad) == expected }

        // Neither parent's machine knows of the other's edit when it makes its own.
        #expect(await pc.terminate() == .exited(0))
        try await edit(
          mum, [["limit", "set", "--daily", "fri 30m"], ["app", "set", "kart", "--category", "learning"]])
        try await edit(
          dad, [["limit", "set", "--daily", "mon 20m"], ["app", "set", "kart", "--points-per-minute", "2"]])
        try await pc.start()
        expected.merge([
          "limits/daily/fri": "30", "limits/daily/mon": "20", "app/kart/category": "learning", "app/kart/rate": "2000",
        ]) { $1 }
        for node in [pc, mum, dad] {
          try await eventually("\(node.name) has the edits of both") { try await rules(node) == expected }
        }
      }
    }

    @Test("A machine is never sent anything of a sibling")
    func siblings() async throws {
      try await ProcessLab.run { lab in
        let (mum, emmas) = try await lab.pairedFamily()
        let toms = try await lab.runningNode(.child, "Tom's PC")
        try await lab.pair(mum, toms)
        _ = try await mum.api.ask(Endpoints.renameDevice, (emmas.name, RenameRequest(childName: "Emma")))
        _ = try await mum.api.ask(Endpoints.renameDevice, (toms.name, RenameRequest(childName: "Tom")))
        for child in ["Emma", "Tom"] {
          _ = try await mum.api.ask(
            Endpoints.setRules, (child, RuleRequest([.init("app/\(child).secret/blocked", "yes")])))
        }
        try await eventually("each has its own") {
          let held = [(try? await rules(emmas)) ?? [:], (try? await rules(toms)) ?? [:]]
          return held == [["app/Emma.secret/blocked": "yes"], ["app/Tom.secret/blocked": "yes"]]
        }
        for (node, sibling) in [(emmas, "Tom"), (toms, "Emma")] {
          #expect(await node.terminate() == .exited(0))
          let names = try node.read { database in
            try String.fetchAll(database, sql: "SELECT key || coalesce(value, '') FROM register")
          }
          #expect(!names.isEmpty && !names.contains { $0.contains(sibling) }, "\(names)")
        }
      }
    }

    @Test("A rule that cannot be is refused with what to give instead")
    func wrongRules() async throws {
      try await ProcessLab.run { lab in
        let (mum, pc) = try await lab.pairedFamily()
        _ = try await mum.api.ask(Endpoints.renameDevice, (pc.name, RenameRequest(childName: "Emma")))
        for (key, value) in [
          ("limits/daily", "1500"), ("schedule/bedtime", "20:00-20:00"), ("schedule/bedtime", "0:00-24:00"),
          ("schedule/school", "mon 8:00-12:00, mon 11:00-13:00"), ("nosuch", "yes"), ("name", "x"),
          ("family/zone", "UTC"),
        ] {
          let error = await #expect(throws: LocalAPIError.self, "\(key) \(value)") {
            _ = try await mum.api.ask(Endpoints.setRules, ("Emma", RuleRequest([.init(key, value)])))
          }
          #expect(error?.code == .invalid && error?.message.hasSuffix(".") == true, "\(error as Any)")
        }
        #expect(try await rules(mum).isEmpty)
        let role = await #expect(throws: LocalAPIError.self) {
          _ = try await pc.api.ask(Endpoints.setRules, ("Emma", RuleRequest([.init("lock", "off")])))
        }
        #expect(role?.code == .wrongRole)
      }
    }
  }
}
