import LatchkeyModel
import Testing

@testable import LatchkeyAgentProtocol

/// Tests of when the agent closes a program: Protocol/13-agent.md §9.
@Suite struct AgentMachineTests {
  @Test("A program that begins while it is blocked is killed at once, and is not used")
  func blocked() {
    var rig = AgentRig()
    rig.order([AgentRig.game(closesAt: 0)], at: 100)
    _ = rig.news()
    rig.see(5, "/usr/games/kart", start: 500, at: 510)
    #expect(rig.news() == ["kill 5", "killed 5 kart"], "It is no use.")
    rig.look([5], at: 700)
    #expect(rig.news() == [])
    #expect(rig.machine.nextTimer(after: .init(milliseconds: 700)) == .init(milliseconds: 1_510))
    rig.tick(1_510)
    #expect(rig.news() == ["kill 5"], "It is killed again if it is still there.")
    rig.look([], at: 1_600)
    #expect(rig.news() == [] && rig.machine.processes.isEmpty)
  }

  @Test("A program has the time to save that its orders give it, and none if they give none", arguments: [0, 60_000])
  func timeToSave(grace: Int64) {
    var rig = AgentRig()
    var game = AgentRig.game(closesAt: 100_000)
    game.terms.graceMilliseconds = grace
    rig.order([game], at: 0)
    rig.look([], at: 0)
    rig.see(5, "/usr/games/kart", start: 1_000, at: 1_500)
    rig.tick(100_000)
    _ = rig.news()
    if grace > 0 {
      rig.tick(159_999)
      #expect(!rig.news().contains { $0.hasPrefix("kill") })
    }
    rig.tick(100_000 + grace)
    #expect(rig.news().contains("kill 5"))
  }

  @Test("Newer orders may leave less time to save than is left, and never more")
  func lessTimeToSave() {
    var rig = AgentRig()
    var game = AgentRig.game(closesAt: 100_000)
    game.terms.graceMilliseconds = 60_000
    rig.order([game], at: 0)
    rig.look([], at: 0)
    rig.see(5, "/usr/games/kart", start: 1_000, at: 1_500)
    rig.tick(100_000)
    #expect(rig.news().contains("ask 5"))
    game.terms.graceMilliseconds = 30_000
    rig.order([game], number: 2, at: 110_000)
    #expect(rig.machine.nextTimer(after: .init(milliseconds: 110_000)).map { $0.milliseconds <= 140_000 } == true)
    game.terms.graceMilliseconds = 300_000
    rig.order([game], number: 3, at: 120_000)
    rig.tick(139_999)
    #expect(!rig.news().contains { $0.hasPrefix("kill") })
    game.terms.graceMilliseconds = 0
    rig.order([game], number: 4, at: 139_999)
    #expect(rig.news().contains("kill 5"))
  }

  @Test("A program whose time ends is warned of, asked to end, and killed after the grace")
  func limit() {
    var rig = AgentRig()
    rig.order([AgentRig.game(closesAt: 100_000, warnings: [40_000, 99_000])], at: 0)
    rig.look([], at: 0)
    rig.see(5, "/usr/games/kart", start: 1_000, at: 1_500)
    #expect(rig.news() == ["inForce 1", "began 5 kart since 1000"])
    rig.tick(39_999)
    #expect(rig.news() == ["active 5 kart 38999"])
    rig.tick(40_000)
    #expect(rig.news() == ["warned kart 60000"])
    // The end moves a little with each decision, and nothing is said again.
    rig.order([AgentRig.game(closesAt: 100_010, warnings: [40_010, 99_010])], number: 2, at: 50_000)
    #expect(rig.news() == ["inForce 2"])
    #expect(rig.machine.nextTimer(after: .init(milliseconds: 50_000)) == .init(milliseconds: 44_999))
    rig.tick(99_010)
    #expect(rig.news() == ["warned kart 1000", "active 5 kart 98010"] && rig.machine.closing == [])
    rig.tick(100_010)
    #expect(rig.news() == ["ask 5", "asked 5 kart"] && rig.machine.closing == [5])
    #expect(rig.machine.nextTimer(after: .init(milliseconds: 100_010)) == .init(milliseconds: 104_010))
    rig.tick(104_010)
    _ = rig.news()
    rig.tick(105_010)
    #expect(rig.news() == ["kill 5", "killed 5 kart"] && rig.machine.closing == [5])
    rig.take(rig.machine.ended(AgentRig.process(5), at: .init(milliseconds: 105_020)))
    #expect(rig.news() == ["ended 5 kart 104020"])
    #expect(rig.machine.processes.isEmpty && rig.machine.closing == [])
  }

  @Test("A grant within the grace lets a program go on, and the next end is a new one")
  func granted() {
    var rig = AgentRig()
    rig.look([], at: 0)
    rig.order([AgentRig.game(closesAt: 50_000)], at: 1_000)
    rig.see(5, "/usr/games/kart", start: 2_000, at: 2_000)
    rig.tick(50_000)
    #expect(rig.news().contains("ask 5"))
    rig.order([AgentRig.game(closesAt: 200_000)], number: 2, at: 51_000)
    rig.tick(60_000)
    #expect(!rig.news().contains { $0.hasPrefix("kill") })
    rig.tick(200_000)
    #expect(rig.news().contains("ask 5"))
  }

  @Test("A program that is always allowed, or protected, survives every step")
  func spared() {
    var rig = AgentRig()
    rig.order(
      [AgentRig.game(closesAt: 0, always: true)], unknown: ProgramTerms(closesAt: .init(milliseconds: 0)), at: 0)
    rig.see(5, "/usr/games/kart", start: 10, writable: true, at: 20)
    #expect(rig.news() == ["inForce 1", "began 5 kart since 10"])
    rig.order([AgentRig.game(closesAt: 0)], unknown: ProgramTerms(closesAt: .init(milliseconds: 0)), number: 2, at: 30)
    _ = rig.news()
    rig.see(6, "/usr/games/kart", start: 40, writable: true, isProtected: true, at: 50)
    rig.see(7, "/home/emma/mine", start: 40, writable: true, isProtected: true, at: 50)
    rig.tick(60)
    #expect(!rig.deeds.contains { $0.hasSuffix(" 6") || $0.hasSuffix(" 7") })
  }

  @Test("A program that ran before it was blocked is asked first, however late the orders come")
  func late() {
    var rig = AgentRig()
    rig.order([], at: 0)
    rig.look([], at: 0)
    rig.see(5, "/usr/games/kart", start: 100, at: 1_000)
    rig.look([5], at: 1_000)
    rig.look([5], at: 2_000)
    // It maps another file, which makes it no other program.
    rig.see(5, "/usr/games/kart", start: 100, mapped: "/usr/games/track", at: 3_000)
    rig.look([5], at: 3_000)
    _ = rig.news()
    rig.order([AgentRig.game(closesAt: 1_500)], number: 2, madeAt: 1_500, at: 4_000)
    #expect(rig.deeds == ["ask 5"])
    rig.see(5, "/usr/games/kart", start: 100, mapped: "/usr/games/other", at: 5_000)
    rig.tick(9_000)
    #expect(rig.deeds == ["ask 5", "kill 5"])
  }

  @Test(
    "What became a program during a look at everything that lasted is asked first, if it may have been before its end")
  func longLook() {
    for (began, deed) in [(1_000 as Int64, "ask 5"), (1_600, "kill 5")] {
      var rig = AgentRig()
      rig.order([AgentRig.game(closesAt: 1_500)], at: 0)
      rig.see(5, "/usr/bin/env", start: 10, at: 500)
      let present: Set = [AgentRig.process(5)]
      rig.take(
        rig.machine.looked(present: present, since: .init(milliseconds: began), at: .init(milliseconds: 2_000)))
      rig.see(5, "/usr/games/kart", start: 10, at: 2_100)
      #expect(rig.deeds == [deed])
    }
  }

  @Test("A program that is older than the agent's run is asked first: it may have been allowed when it began")
  func restarted() {
    var rig = AgentRig()
    let orders = AgentOrders(
      number: 9, boot: AgentRig.boot, at: .init(milliseconds: 0),
      accounts: [AccountOrders(account: 1_000, programs: [AgentRig.game(closesAt: 60_000)])])
    rig.take(rig.machine.received(orders, boot: AgentRig.boot, at: .init(milliseconds: 90_000)) { _ in true })
    rig.see(5, "/usr/games/kart", start: 10, at: 90_000)
    rig.see(6, "/usr/games/kart", start: 70_000, at: 90_000)
    #expect(rig.deeds == ["ask 5", "kill 6"])
  }

  @Test("A node that was restarted does not know since when a program is closed; the agent does")
  func sinceWhen() {
    var rig = AgentRig()
    rig.order([AgentRig.game(closesAt: 100)], at: 100)
    rig.order([AgentRig.game(closesAt: 5_000)], number: 2, at: 5_000)
    rig.see(5, "/usr/games/kart", start: 4_900, at: 5_100)
    #expect(rig.deeds == ["kill 5"])
    rig.order([AgentRig.game(closesAt: 9_000)], number: 3, at: 6_000)
    rig.order([AgentRig.game(closesAt: 9_000)], number: 4, at: 9_500)
    rig.see(6, "/usr/games/kart", start: 8_900, at: 9_600)
    #expect(rig.deeds == ["kill 5", "ask 5", "ask 6"], "They were allowed between.")
  }

  @Test("A sleep cuts use, so that its time does not count")
  func slept() {
    var rig = AgentRig()
    rig.order([AgentRig.game(closesAt: nil)], at: 0)
    rig.see(5, "/usr/games/kart", start: 1_000, at: 1_000)
    _ = rig.news()
    rig.take(rig.machine.slept(60_000, at: .init(milliseconds: 100_000)))
    #expect(rig.news() == ["ended 5 kart 39000", "began 5 kart since 100000", "slept 60000"])
    rig.take(rig.machine.ended(AgentRig.process(5), at: .init(milliseconds: 101_000)))
    #expect(rig.news() == ["ended 5 kart 1000"])
  }

  @Test("What was to close while the machine slept waits for orders from after the sleep, for two seconds")
  func sleptOverTheEnd() {
    for order in ["later", "closed", "earlier", "none"] {
      var rig = AgentRig()
      rig.order([AgentRig.game(closesAt: 70_000)], at: 0)
      rig.see(5, "/usr/games/kart", start: 1_000, at: 1_000)
      rig.take(rig.machine.slept(60_000, at: .init(milliseconds: 100_000)))
      _ = rig.news()
      rig.tick(100_050)
      #expect(rig.news() == ["active 5 kart 50"], "It is not asked to end.")
      #expect(rig.machine.nextTimer(after: .init(milliseconds: 100_050)) == .init(milliseconds: 102_000))
      switch order {
      case "later": rig.order([AgentRig.game(closesAt: 131_000)], number: 2, madeAt: 100_400, at: 100_500)
      case "closed": rig.order([AgentRig.game(closesAt: 70_000)], number: 2, madeAt: 100_400, at: 100_500)
      // On its way when the machine went to sleep.
      case "earlier": rig.order([AgentRig.game(closesAt: 70_000)], number: 2, madeAt: 30_000, at: 100_500)
      default: break
      }
      let atOnce = rig.news().filter { $0 != "inForce 2" }
      rig.tick(102_000)
      let after = rig.news()
      switch order {
      case "later": #expect(atOnce == [] && after == [], "What has time left goes on.")
      case "closed": #expect(atOnce == ["ask 5", "asked 5 kart"], "A bedtime that began in sleep closes.")
      default: #expect(atOnce == [] && after == ["ask 5", "asked 5 kart"], "\(order)")
      }
    }
  }
}
