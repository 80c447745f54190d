import LatchkeyAgentProtocol
import LatchkeyModel
import Testing

@testable import LatchkeyNode

/// What the node counts of its agent's reports.
@Suite struct AgentCountersTests {
  private let counters = AgentCounters(since: BootInstant(milliseconds: 1_000))

  private func use(_ process: Int32) -> ProgramUse {
    ProgramUse(
      account: 1_000, app: nil, isWeak: false, process: ProcessIdentity(processID: process, startTime: 5))
  }

  /// Counts an event at an instant; what was used is closed since `due`.
  private func tell(_ event: AgentReport.Event, at now: Int64, run: UInt64 = 1, due: Int64? = 10_000) {
    counters.count(AgentReport(number: 1, at: BootInstant(milliseconds: now), event: event), of: run) { _ in
      due.map { BootInstant(milliseconds: $0) }
    }
  }

  private func closed(_ process: Int32, _ deed: AgentReport.Deed) -> AgentReport.Event {
    .closed(use(process), deed, reason: "", matchers: [])
  }

  @Test("The latency is the time until a program that was asked has ended, by itself or not, or is frozen")
  func latency() {
    tell(closed(2, .asked), at: 10_005)
    tell(.ended(use(2), milliseconds: 0, activity: 0), at: 12_000)
    tell(closed(3, .asked), at: 10_005)
    tell(closed(3, .killed), at: 40_000)
    tell(.ended(use(3), milliseconds: 0, activity: 0), at: 40_001)
    tell(closed(4, .paused), at: 10_005)
    let numbers = counters.numbers
    #expect(numbers.deeds == [.asked: 2, .killed: 1, .paused: 1])
    #expect(numbers.latency.counts == [1, 0, 0, 1, 1, 0, 0, 0] && abs(numbers.latency.sum - 32.005) < 0.000_001)
  }

  @Test(
    "Programs that were killed at once, that were granted more time, or that ended before this run are not measured")
  func notMeasured() {
    tell(closed(2, .killed), at: 12_000)
    tell(.ended(use(2), milliseconds: 0, activity: 0), at: 12_001)
    tell(closed(3, .asked), at: 12_000)
    tell(.ended(use(3), milliseconds: 0, activity: 0), at: 900_000, due: nil)
    tell(closed(4, .asked), at: 500, due: 400)
    tell(closed(4, .killed), at: 900, due: 400)
    #expect(counters.numbers.latency.counts.allSatisfy { $0 == 0 })
    #expect(counters.numbers.deeds == [.asked: 2, .killed: 2])
  }

  @Test("Losses, clocks and sessions are counted, and dropped reports once in each run of the agent")
  func others() {
    tell(.rescanned, at: 2_000)
    tell(.clockSet(milliseconds: -5), at: 2_000)
    tell(.sessionsClosed(account: 1, areEnded: true, reason: ""), at: 2_000)
    for areEnded in [false, false] { tell(.sessionsClosed(account: 1, areEnded: areEnded, reason: ""), at: 2_000) }
    for (run, count) in [(1, 512), (1, 1_024), (2, 512)] as [(UInt64, UInt64)] {
      tell(.dropped(count: count), at: 2_000, run: run)
    }
    let numbers = counters.numbers
    #expect(numbers.eventLosses == 1 && numbers.clockSets == 1)
    #expect(numbers.sessionsEnded == 1 && numbers.sessionsLocked == 2 && numbers.dropped == 1_536)
  }
}
