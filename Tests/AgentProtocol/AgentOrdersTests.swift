import LatchkeyModel
import Testing

@testable import LatchkeyAgentProtocol

/// Tests of orders that hold, and of those that are refused: Protocol/13-agent.md §4, §6.
@Suite struct AgentOrdersTests {
  @Test("Without orders, and in accounts that no order names, nothing is touched or told")
  func nobody() {
    var rig = AgentRig()
    rig.see(5, "/usr/games/kart", start: 0, at: 100)
    rig.order([AgentRig.game(closesAt: 0)], at: 200)
    #expect(rig.news() == ["inForce 1"])
    rig.see(6, "/usr/games/kart", start: 150, account: 1_001, at: 300)
    rig.see(7, "/usr/games/other", start: 150, at: 300)
    #expect(rig.news() == [] && rig.machine.nextTimer(after: .init(milliseconds: 300)) == nil)
    #expect(rig.machine.processes == [AgentRig.process(7)])
  }

  @Test("More applications than an agent takes are refused before they are sent")
  func tooMany() {
    let game = AgentRig.game(closesAt: 0)
    func orders(_ count: Int) -> AgentOrders {
      AgentOrders(
        number: 1, boot: AgentRig.boot, at: .init(milliseconds: 0),
        accounts: [AccountOrders(account: 1_000, programs: Array(repeating: game, count: count))])
    }
    #expect(throws: Never.self) { try orders(AgentOrders.maximumPrograms).check() }
    #expect(throws: AgentFrameError.self) { try orders(AgentOrders.maximumPrograms + 1).check() }
  }

  @Test("Orders that cannot be written to the disk hold, and the node is told until they are there")
  func notKept() {
    var rig = AgentRig()
    let orders = AgentOrders(
      number: 9, boot: AgentRig.boot, at: .init(milliseconds: 0),
      accounts: [
        AccountOrders(account: 1_000, programs: [AgentRig.game(closesAt: 0)]),
        AccountOrders(account: 9_000, programs: []),
      ])
    rig.take(
      rig.machine.received(orders, boot: AgentRig.boot, isDurable: false, at: .init(milliseconds: 10)) {
        $0.account < 2_000
      })
    func told() -> [AgentReport.Event] {
      defer { rig.reports = [] }
      return rig.reports.map(\.event)
    }
    let (notKept, noAccount) = (OrderFault(.notKept, account: 0), OrderFault(.noAccount, account: 9_000))
    #expect(told() == [.refused(orders: 9, notKept), .refused(orders: 9, noAccount), .inForce(orders: 9)])
    rig.see(5, "/usr/games/kart", start: 100, at: 200)
    #expect(rig.deeds == ["kill 5"])
    rig.reports = []
    for report in rig.machine.log.waiting { rig.machine.stored(report.number) }
    rig.take(rig.machine.connected(stored: 0, at: .init(milliseconds: 300)))
    #expect(told() == [.refused(orders: 9, notKept), .refused(orders: 9, noAccount), .inForce(orders: 9)])
    rig.take(rig.machine.kept(at: .init(milliseconds: 400)))
    #expect(told() == [.refused(orders: 9, noAccount), .inForce(orders: 9)])
  }

  @Test("Sessions that orders of an earlier boot closed open after what was left of that")
  func sessionsOfAnEarlierBoot() {
    var rig = AgentRig(AgentAbilities(onlyAccount: nil, canCloseSessions: true, nodeAccount: 1_001))
    let terms = SessionTerms(
      closesAt: .init(milliseconds: 80_000), opensAt: .init(milliseconds: 95_000), reason: "bedtime until 07:00")
    rig.order([], sessions: terms, boot: "boot-0", madeAt: 85_000, at: 1_000)
    #expect(!rig.logIn(1_000, at: 9_999).isAllowed && rig.logIn(1_000, at: 10_000).isAllowed)
  }

  @Test("Orders of an earlier boot hold with what was left when they were made")
  func anotherBoot() {
    var rig = AgentRig()
    rig.order([AgentRig.game(closesAt: 90_000, warnings: [80_000, 89_000])], boot: "boot-0", madeAt: 85_000, at: 1_000)
    rig.see(5, "/usr/games/kart", start: 1_500, at: 2_000)
    _ = rig.news()
    #expect(rig.machine.nextTimer(after: .init(milliseconds: 2_000)) == .init(milliseconds: 4_000))
    rig.tick(5_000)
    #expect(rig.news().contains("ask 5"))
    rig.order([AgentRig.game(closesAt: 10)], number: 2, boot: "boot-0", madeAt: 85_000, at: 6_000)
    rig.see(6, "/usr/games/kart", start: 6_100, at: 6_100)
    #expect(rig.deeds.last == "kill 6", "What was closed stays closed.")
  }

  @Test("Parts of orders that cannot be carried out are refused, each with its reason; the rest holds")
  func refused() {
    var rig = AgentRig(AgentAbilities(onlyAccount: 1_000))
    rig.order(
      [
        AgentRig.game(
          closesAt: 0, step: .pause,
          matchers: [
            AppMatcher(kind: .path, value: "/usr/bin/gnome-shell"), AppMatcher(kind: .name, value: "*"),
            AppMatcher(kind: .path, value: "/usr/games/kart"),
          ])
      ], sessions: SessionTerms(), at: 0)
    #expect(
      rig.news() == [
        "refused cannotCloseSession", "refused cannotPause", "refused neededProgram", "refused matchesEverything",
        "inForce 1",
      ])
    rig.see(5, "/usr/games/kart", start: 10, at: 20)
    rig.see(6, "/usr/bin/gnome-shell", start: 10, at: 20)
    #expect(rig.deeds == ["kill 5"], "What cannot be paused is closed.")
    for (account, fault) in [(1_001, "otherAccount"), (0, "otherAccount")] as [(UInt32, String)] {
      rig.order([AgentRig.game(closesAt: 0)], account: account, number: 2, at: 30)
      #expect(rig.news().contains("refused \(fault)"))
    }
    var system = AgentRig()
    for account in [0, 5_000] as [UInt32] {
      system.order([AgentRig.game(closesAt: 0)], account: account, at: 30)
      #expect(system.news() == ["refused noAccount", "inForce 1"])
      #expect(system.machine.supervisedAccounts.isEmpty)
    }
  }

  @Test("New orders end the supervision of an account, and begin that of another")
  func changedAccounts() {
    var rig = AgentRig()
    rig.order([AgentRig.game(closesAt: nil)], at: 0)
    rig.see(5, "/usr/games/kart", start: 10, at: 20)
    rig.order([AgentRig.game(closesAt: 0)], account: 1_001, number: 2, at: 1_000)
    #expect(rig.news() == ["inForce 1", "began 5 kart since 10", "inForce 2", "ended 5 kart 990"])
    rig.see(5, "/usr/games/kart", start: 10, at: 1_100)
    #expect(rig.news() == [] && rig.machine.processes.isEmpty)
  }

  @Test("What is not on the machine is told of an application that nothing else recognizes, until it is installed")
  func absent() throws {
    var rig = AgentRig()
    let kart = AgentRig.game(closesAt: 0, matchers: [AppMatcher(kind: .path, value: "/usr/games/kart")])
    var isThere = false
    func here(_ matcher: AppMatcher) -> OrderFault.Kind? { isThere ? nil : .noProgram }
    rig.order([kart], at: 0, here: here)
    #expect(rig.news() == ["refused noProgram", "inForce 1"])
    rig.take(rig.machine.programsChanged(at: .init(milliseconds: 10), here: here))
    #expect(rig.news() == [])
    isThere = true
    rig.take(rig.machine.programsChanged(at: .init(milliseconds: 20), here: here))
    #expect(rig.news() == ["inForce 1"])
    rig.see(5, "/usr/games/kart", start: 30, at: 30)
    #expect(rig.deeds == ["kill 5"])
  }

  @Test("What a matcher of two applications recognizes is the one that closes first, and both are told")
  func shared() throws {
    var rig = AgentRig()
    let path = AppMatcher(kind: .path, value: "/usr/games/kart")
    let hash = AppMatcher(kind: .sha256, value: String(repeating: "a", count: 64))
    var spared = AgentRig.game(closesAt: nil, matchers: [path, hash, path])
    spared.app = try #require(AppID("a-kart"))
    rig.order([spared, AgentRig.game(closesAt: 0, matchers: [path, hash])], at: 0)
    #expect(
      rig.news() == [
        "refused sharedMatcher", "refused sharedMatcher", "refused sharedMatcher", "refused sharedMatcher", "inForce 1",
      ])
    rig.see(5, "/usr/games/kart", start: 10, at: 20)
    rig.see(6, "/home/emma/kart", start: 10, sha256: String(repeating: "a", count: 64), at: 20)
    #expect(rig.deeds == ["kill 5", "kill 6"])
  }

  @Test("The node is told so many faults as it keeps, those first by which a rule does not hold")
  func manyFaults() {
    var rig = AgentRig()
    let absent = (0..<1_100).map { number in
      var program = AgentRig.game(closesAt: 0, matchers: [AppMatcher(kind: .path, value: "/usr/games/\(number)")])
      program.app = AppID("game-\(10_000 + number)")!
      if number == 1_099 { program.matchers.append(AppMatcher(kind: .name, value: "*")) }
      return program
    }
    rig.order(absent, at: 0, here: { _ in .noProgram })
    let news = rig.news()
    #expect(news.first == "refused matchesEverything" && news.count == AgentMachine.toldFaults + 1)
  }
}
