import LatchkeyAgentProtocol
import LatchkeyModel
import LatchkeySystem
import Synchronization

/// The numbers of the agent's reports since this node started, for metrics.
///
/// Spec: Protocol/07-local-api.md §4, Protocol/13-agent.md §5.
final class AgentCounters: Sendable {
  struct Numbers: Hashable, Sendable {
    /// The steps that were taken against programs whose time was over.
    var deeds: [AgentReport.Deed: Int] = [:]
    /// The time from the end of a running program's time until it ended or was frozen.
    var latency = DurationHistogram(bounds: [0.01, 0.1, 1, 5, 30, 120, 300])
    var sessionsLocked = 0
    var sessionsEnded = 0
    var eventLosses = 0
    var clockSets = 0
    /// The reports that agents dropped because the node was silent for too long.
    var dropped: UInt64 = 0
  }

  private struct State {
    var numbers = Numbers()
    var asked: Set<ProcessIdentity> = []
    /// The run of the agent, and the reports that it has dropped.
    var droppedOfRun: (run: UInt64, count: UInt64) = (0, 0)
  }

  /// The largest number of programs whose end is awaited; the end of others is not measured.
  private static let mostAsked = 1_024

  private let state = Mutex(State())
  /// The start of the node; reports of earlier events are not measured.
  private let began: BootInstant

  /// Creates counters at 0, for the reports of events from an instant on.
  init(since began: BootInstant = BootClock.now()) { self.began = began }

  var numbers: Numbers { state.withLock { $0.numbers } }

  /// Counts a report of a run of the agent, which must not have been counted before.
  ///
  /// `dueAt` returns since when the last orders close a program; `nil` if they do not.
  func count(_ report: AgentReport, of run: UInt64, dueAt: (ProgramUse) -> BootInstant?) {
    state.withLock { state in
      switch report.event {
      case .closed(let use, let deed, _, _):
        state.numbers.deeds[deed, default: 0] += 1
        switch deed {
        case .asked: if state.asked.count < Self.mostAsked { state.asked.insert(use.process) }
        // A program that began after the end of its time was not asked: it is killed at once.
        case .killed: if state.asked.remove(use.process) != nil { measure(report, dueAt(use), &state) }
        case .paused: measure(report, dueAt(use), &state)
        }
      case .ended(let use, _, _):
        if state.asked.remove(use.process) != nil { measure(report, dueAt(use), &state) }
      case .sessionsClosed(_, let areEnded, _):
        if areEnded { state.numbers.sessionsEnded += 1 } else { state.numbers.sessionsLocked += 1 }
      case .rescanned: state.numbers.eventLosses += 1
      case .clockSet: state.numbers.clockSets += 1
      case .dropped(let count):
        // The agent counts all reports that it has dropped in its run.
        let known = state.droppedOfRun.run == run ? state.droppedOfRun.count : 0
        if count > known { state.numbers.dropped += count - known }
        state.droppedOfRun = (run, max(count, known))
      default: break
      }
    }
  }

  private func measure(_ report: AgentReport, _ dueAt: BootInstant?, _ state: inout State) {
    // A program without an end of its time was granted more after it had been asked.
    guard let dueAt, report.at >= began else { return }
    state.numbers.latency.add(Double(report.at - dueAt) / 1_000)
  }
}
