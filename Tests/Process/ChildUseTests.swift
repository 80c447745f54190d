import GRDB
import Glibc
import LatchkeyModel
import LatchkeyNode
import Testing

extension ProcessTests {
  /// The use of a child: whose it is, what runs now, and one total on every machine.
  @Suite struct ChildUseTests {
    private func today(_ node: NodeProcess, _ child: String = "Emma") async -> ChildToday? {
      try? await node.api.ask(Endpoints.getToday, child)
    }

    @Test(
      "What runs on one machine of a child is on the parents' screens and counts on the child's other machine, once")
    func twoMachines() async throws {
      try await ProcessLab.run(hasAgents: true) { lab in
        let (mum, pc) = try await lab.pairedFamily()
        let laptop = try await lab.runningNode(.child, "Emma's laptop")
        let toms = try await lab.runningNode(.child, "Tom's PC")
        for machine in [laptop, toms] { try await lab.pair(mum, machine) }
        for (machine, child) in [(pc, "Emma"), (laptop, "Emma"), (toms, "Tom")] {
          _ = try await mum.api.ask(Endpoints.renameDevice, (machine.name, RenameRequest(childName: child)))
        }
        let dad = try await lab.runningNode(.parent, "Tom's laptop")
        try await lab.pair(dad, pc)
        _ = try await mum.api.ask(
          Endpoints.setRules,
          (
            "Emma",
            RuleRequest([
              .init("limits/daily", "120"), .init("app/kart/category", "reward"), .init("app/kart/rate", "2000"),
              .init("app/kart/name", "Kart"),
            ])
          ))
        try await eventually("the machines know the rules") {
          let counts = try await [
            pc.api.ask(Endpoints.getRules, nil).rules.count, laptop.api.ask(Endpoints.getRules, nil).rules.count,
          ]
          return counts == [4, 4]
        }
        // A reward without points would be closed.
        let given = try await mum.latchkey("points", "adjust", "Emma", "+50", "--reason", "helped")
        #expect(given.status == 0, "\(given)")
        try await eventually("the points are there") {
          try await pc.latchkey("points").output.contains("50")
        }
        let program = try UsedProgram()
        _ = try await pc.api.ask(Endpoints.startUsage, program.request("kart"))
        for node in [mum, dad, laptop, pc] {
          try await eventually("it is seen to run on \(node.name)") {
            await today(node)?.running.map(\.displayName) == ["Kart"]
          }
        }
        let seen = try #require(await today(mum))
        #expect(seen.running.map(\.deviceName.text) == [pc.name] && seen.limitMilliseconds == 7_200_000, "\(seen)")
        #expect(try await mum.api.ask(Endpoints.getStatus).running.map(\.childName?.text) == ["Emma"])
        let line = try await mum.latchkey("today", "Emma")
        #expect(
          line.status == 0 && line.output.contains("Emma 0 min of 2 h · ")
            && line.output.contains("Kart on \(pc.name)"),
          "\(line)")
        #expect(try await laptop.latchkey("me").output.contains("of 2 h"))

        await program.end()
        for node in [mum, dad, laptop, pc] {
          try await eventually("it is seen to have ended on \(node.name)") {
            guard let day = await today(node) else { return false }
            return day.running.isEmpty && day.usedMilliseconds > 0
          }
        }
        let record = try #require(try await mum.usage().first)
        #expect(record.account == geteuid())
        #expect(record.child == seen.childID && record.displayName == "Kart", "\(record)")
        #expect(record.category == .reward && record.milliPointsPerMinute == 2_000)
        let used = record.activeMilliseconds
        for node in [mum, dad, laptop, pc] { #expect(await today(node)?.usedMilliseconds == used, "\(node.name)") }
        #expect(
          try await laptop.api.ask(Endpoints.getUsage, UsageQuery().parts).sessions.isEmpty,
          "It was not used on that machine.")
        try await laptop.restart()
        #expect(await today(laptop)?.usedMilliseconds == used, "It survives kill -9.")

        // A machine that is the child's only now gets what was used this week.
        let tablet = try await lab.runningNode(.child, "Emma's tablet")
        try await lab.pair(mum, tablet)
        _ = try await mum.api.ask(Endpoints.renameDevice, (tablet.name, RenameRequest(childName: "Emma")))
        try await eventually("the new machine knows the day") { await today(tablet)?.usedMilliseconds == used }

        // Never a sibling's.
        #expect(await toms.terminate() == .exited(0))
        let foreign = try toms.read { database in
          try Int.fetchOne(
            database,
            sql: """
              SELECT (SELECT COUNT(*) FROM usage_record)
                + (SELECT COUNT(*) FROM inventory WHERE kind = 'running')
              """)
        }
        #expect(foreign == 0)
        let report = try await mum.latchkey("report", "day", "--child", "Emma", "--format", "csv")
        #expect(report.output.contains(",kart,Kart,reward,\(used),0,1"), "\(report)")
      }
    }

    @Test("On a machine of two children, each account's use is its owner's; nobody's is not supervised")
    func twoChildren() async throws {
      try await ProcessLab.run(hasAgents: true) { lab in
        let (mum, pc) = try await lab.pairedFamily()
        try await eventually("the accounts are known") { try await !mum.api.ask(Endpoints.getAccounts, nil).isEmpty }
        let account = try #require(
          try await mum.api.ask(Endpoints.getAccounts, nil).first { $0.account.uid == geteuid() }?.account.name)
        _ = try await mum.api.ask(Endpoints.addChild, ChildNameRequest(name: "Emma"))
        _ = try await mum.api.ask(Endpoints.addChild, ChildNameRequest(name: "Tom"))
        func use(_ app: String) async throws -> UsageRecord {
          let program = try UsedProgram()
          let id = try await pc.api.ask(Endpoints.startUsage, program.request(app)).recordID
          await program.end()
          try await eventually("the record of \(app) is there") {
            try await mum.usage().contains { $0.recordID == id }
          }
          return try #require(try await mum.usage().first { $0.recordID == id })
        }
        _ = try await mum.api.ask(
          Endpoints.assignAccount, AccountRequest(device: nil, account: account, children: ["Tom"]))
        try await eventually("the machine is Tom's") {
          try await pc.api.ask(Endpoints.getChildren).map(\.name.text) == ["Tom"]
        }
        let toms = try await mum.api.ask(Endpoints.getChildren).first { $0.name.text == "Tom" }?.childID
        #expect(try await use("one").child == toms)
        // The only child's, where nobody has said whose the account is; of two, nobody's.
        _ = try await mum.api.ask(Endpoints.assignAccount, AccountRequest(device: nil, account: account, children: []))
        try await eventually("the account is nobody's") {
          try await pc.api.ask(Endpoints.getAccounts, nil).first { $0.account.name == account }?.owner == .nobody
        }
        #expect(try await use("two").child == nil)
        let refused = await #expect(throws: LocalAPIError.self) { _ = try await pc.api.ask(Endpoints.getOwnToday) }
        #expect(refused?.code == .unknownChild)
      }
    }

    @Test("A wall clock that is set on a child's machine changes neither the child's day nor when its use counts")
    func wallClock() async throws {
      try await ProcessLab.run(hasAgents: true) { lab in
        let (mum, pc) = try await lab.pairedFamily()
        _ = try await mum.api.ask(Endpoints.renameDevice, (pc.name, RenameRequest(childName: "Emma")))
        try await eventually("the machine knows whose it is") { try await !pc.api.ask(Endpoints.getChildren).isEmpty }
        let day = try #require(await today(pc)).day
        #expect(await pc.terminate() == .exited(0))
        await pc.add([
          "LD_PRELOAD": BuiltProgram.path(of: "libLatchkeyClockShift.so"), "LATCHKEY_CLOCK_SHIFT": "259200",
        ])
        try await pc.start()
        #expect(await today(pc)?.day == day, "Three days ahead by the wall clock alone.")
        try await eventually("the parent is told") {
          try await mum.api.ask(Endpoints.getConditions).contains { $0.condition.name == "clock-set" }
        }
        let program = try UsedProgram()
        var request = program.request("kart")
        request.startedAtWall += 259_200_000
        _ = try await pc.api.ask(Endpoints.startUsage, request)
        try await eventually("it runs") { await today(mum)?.running.count == 1 }
        #expect(abs((await today(mum)?.running[0].since ?? 0) - UsedProgram.milliseconds(CLOCK_REALTIME)) < 60_000)
        await program.end()
        try await mum.eventuallyHasUsage(1)
        let record = try #require(try await mum.usage().first)
        #expect(record.sessionStart - record.householdStart > 259_000_000, "\(record)")
        #expect(await today(mum)?.usedMilliseconds == record.activeMilliseconds, "It counts today.")
        #expect(await pc.terminate() == .exited(0))
        let audit = try pc.read { database in
          try String.fetchAll(database, sql: "SELECT action || ' ' || new FROM audit WHERE target = 'clock'")
        }
        #expect(
          audit.contains("clock.ignored 3 days ahead") || audit.contains("clock.ignored 2 days ahead"), "\(audit)")
      }
    }

    @Test("A limit that is nearly used is told with the rule, and explained")
    func limits() async throws {
      try await ProcessLab.run(hasAgents: true) { lab in
        let (mum, pc) = try await lab.pairedFamily()
        _ = try await mum.api.ask(Endpoints.renameDevice, (pc.name, RenameRequest(childName: "Emma")))
        _ = try await mum.api.ask(
          Endpoints.setRules, ("Emma", RuleRequest([.init("limits/daily", "10"), .init("app/chat/blocked", "yes")])))
        try await eventually("the machine knows the rules") {
          guard try await !pc.api.ask(Endpoints.getChildren).isEmpty else { return false }
          return try await pc.api.ask(Endpoints.getRules, nil).rules.count == 2
        }
        let program = try UsedProgram()
        _ = try await pc.api.ask(Endpoints.startUsage, program.request("kart"))
        try await eventually("the parent is told") { await today(mum)?.notices.count == 1 }
        let notice = try #require(await today(mum)?.notices.first)
        #expect(notice.worded().hasPrefix("kart: 9 min left (10 min of screen time a day)"), "\(notice)")
        try await eventually("the child's node says so in its log") {
          pc.log.contains("10 min of screen time a day")
        }
        // Nothing is recognized as this application.
        try await eventually("it is said that nothing closes it") {
          try await mum.latchkey("explain", "--app", "chat").output
            .contains("the rules say no (chat is blocked), but nothing closes it")
        }
        let typo = try await mum.latchkey("explain", "--app", "chatt")
        #expect(typo.status != 0 && typo.talk.contains("chat"), "\(typo)")
        let unknown = try await mum.latchkey("today", "Nobody")
        #expect(unknown.status == 67 && unknown.talk.contains("no child called"), "\(unknown)")
        await program.end()
      }
    }
  }
}
