import LatchkeyModel
import Testing

@testable import LatchkeyAgentProtocol

/// Tests of what a node is told that was away: Protocol/13-agent.md §5.
@Suite struct KeptReportsTests {
  @Test("A node that returns is told what it has not stored and what runs, each once")
  func returned() {
    var rig = AgentRig()
    rig.order([AgentRig.game(closesAt: nil)], at: 0)
    rig.see(5, "/usr/games/kart", start: 1_000, at: 1_000)
    rig.see(6, "/usr/games/kart", start: 1_000, at: 1_000)
    for now in [6_000, 11_000, 16_000] as [Int64] { rig.tick(now) }
    rig.take(rig.machine.ended(AgentRig.process(6), at: .init(milliseconds: 17_000)))
    _ = rig.news()
    rig.take(rig.machine.connected(stored: 0, at: .init(milliseconds: 18_000)))
    #expect(
      rig.news() == [
        "inForce 1", "began 5 kart since 1000", "began 6 kart since 1000", "active 5 kart 15000", "active 6 kart 15000",
        "ended 6 kart 16000", "inForce 1",
      ], "Of each program's activity the last is kept.")
    let last = rig.machine.log.waiting.last?.number ?? 0
    rig.machine.stored(last)
    #expect(rig.machine.log.waiting.isEmpty)
    rig.take(rig.machine.connected(stored: last, at: .init(milliseconds: 19_000)))
    #expect(rig.news() == ["began 5 kart since 1000", "inForce 1"])
  }

  @Test("A node that is silent for long costs no memory without end, and hears how much it missed")
  func silent() {
    var rig = AgentRig()
    rig.order([AgentRig.game(closesAt: nil)], at: 0)
    for number in 1...6_000 as ClosedRange<Int32> {
      rig.see(number, "/usr/games/kart", start: Int64(number), at: Int64(number))
      _ = rig.machine.ended(AgentRig.process(number), at: .init(milliseconds: Int64(number) + 1))
    }
    #expect(rig.machine.log.waiting.count <= ReportLog.capacity)
    let dropped = rig.machine.log.waiting.compactMap { report -> UInt64? in
      if case .dropped(let count) = report.event { count } else { nil }
    }
    #expect(dropped.last.map { $0 + UInt64(rig.machine.log.waiting.count) >= 12_001 } == true, "\(dropped)")
    let numbers = rig.machine.log.waiting.map(\.number)
    #expect(numbers == numbers.sorted() && Set(numbers).count == numbers.count)
  }
}
