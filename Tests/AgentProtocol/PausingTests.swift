import LatchkeyModel
import Testing

@testable import LatchkeyAgentProtocol

/// Tests of pausing: Protocol/13-agent.md §12.
@Suite struct PausingTests {
  @Test(
    "A program is paused once, is no use meanwhile, goes on when it may, and is closed when that is ordered instead")
  func paused() {
    var rig = AgentRig(AgentAbilities(onlyAccount: nil, canPause: true))
    rig.look([], at: 0)
    rig.order([AgentRig.game(closesAt: 10_000, step: .pause)], at: 0)
    rig.see(5, "/usr/games/kart", start: 1_000, at: 1_000)
    rig.tick(1_500)
    _ = rig.news()
    rig.tick(10_000)
    #expect(rig.news() == ["pause 5", "paused 5 kart", "ended 5 kart 9000"])
    rig.see(7, "/usr/games/kart", start: 9_990, at: 10_020)
    #expect(
      rig.news() == ["pause 7", "began 7 kart since 9990", "paused 7 kart", "ended 7 kart 30"],
      "It began while the other was not frozen.")
    rig.take(rig.machine.ended(AgentRig.process(7), at: .init(milliseconds: 10_030)))
    rig.see(5, "/usr/games/kart", start: 1_000, mapped: "/usr/games/track", at: 11_000)
    rig.tick(20_000)
    #expect(rig.news() == [] && rig.machine.paused == [AgentRig.process(5)])
    rig.see(6, "/usr/games/kart", start: 21_000, at: 21_000)
    #expect(rig.news() == ["kill 6", "killed 6 kart"], "What begins then has nothing to lose.")
    rig.take(rig.machine.ended(AgentRig.process(6), at: .init(milliseconds: 21_010)))
    rig.order([AgentRig.game(closesAt: 60_000, step: .pause)], number: 2, at: 30_000)
    #expect(rig.news() == ["resume 5", "inForce 2", "began 5 kart since 30000"])
    rig.tick(60_000)
    #expect(rig.news().contains("pause 5"))
    rig.order([AgentRig.game(closesAt: 60_000)], number: 3, at: 61_000)
    #expect(rig.news() == ["resume 5", "ask 5", "inForce 3", "asked 5 kart"], "What is frozen hears nothing.")
  }

  @Test("What leaves its group is killed, what cannot be paused is closed, and what no order names any more goes on")
  func unfrozen() {
    var rig = AgentRig(AgentAbilities(onlyAccount: nil, canPause: true))
    rig.look([], at: 0)
    rig.order([AgentRig.game(closesAt: 10_000, step: .pause)], at: 0)
    for pid in [5, 6, 7] as [Int32] { rig.see(pid, "/usr/games/kart", start: 1_000, at: 1_000) }
    rig.tick(10_000)
    _ = rig.news()
    rig.take(rig.machine.escaped(AgentRig.process(5), at: .init(milliseconds: 10_100)))
    #expect(rig.news() == ["kill 5", "killed 5 kart"])
    rig.take(rig.machine.couldNotPause(AgentRig.process(6), at: .init(milliseconds: 10_200)))
    #expect(rig.news() == ["ask 6", "asked 6 kart"])
    rig.tick(15_200)
    #expect(rig.news() == ["kill 5", "kill 6", "killed 6 kart"], "It is not tried again.")
    rig.order([], account: 1_001, number: 2, at: 16_000)
    #expect(rig.deeds == ["resume 7"])
  }

  @Test("What an earlier run of the agent froze stays so if it still has to, and goes on otherwise")
  func frozenBefore() {
    for closesAt in [10_000, 90_000] as [Int64] {
      var rig = AgentRig(AgentAbilities(onlyAccount: nil, canPause: true))
      rig.machine.found(frozen: [AgentRig.process(5), AgentRig.process(8)])
      rig.order([AgentRig.game(closesAt: closesAt, step: .pause)], at: 50_000)
      rig.see(5, "/usr/games/kart", start: 1_000, at: 50_100)
      rig.look([5], at: 50_100)
      rig.take(rig.machine.sawFrozen())
      let goesOn = closesAt == 90_000
      #expect(
        rig.news()
          == (goesOn ? ["resume 5", "resume 8", "inForce 1", "began 5 kart since 50100"] : ["resume 8", "inForce 1"]))
      #expect(rig.machine.paused.isEmpty == goesOn)
    }
  }
}
