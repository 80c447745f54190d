import LatchkeyModel

/// An action that the program around an agent's machine must carry out (Protocol/13-agent.md §9).
public enum AgentEffect: Hashable, Sendable {
  /// Ask a process to end (SIGTERM), through a descriptor of the process.
  case ask(ProcessIdentity)
  /// Kill a process (SIGKILL), through a descriptor of the process.
  case kill(ProcessIdentity)
  case pause(ProcessIdentity)
  case resume(ProcessIdentity)
  case lockSessions(UInt32)
  /// End the sessions of an account, and kill its remaining processes.
  case endSessions(UInt32)
  /// Send a report to the node, if it is connected. Otherwise it is sent again later.
  case tell(AgentReport)
}

public struct AgentAbilities: Hashable, Sendable {
  /// The only account whose programs it may act on; `nil` for the system agent, which may act on
  /// every account that orders name.
  public var onlyAccount: UInt32?
  /// A Boolean value that indicates whether it can freeze programs.
  public var canPause: Bool
  public var canCloseSessions: Bool
  /// The account of the node, whose sessions never close; `nil` if the agent acts for it.
  public var nodeAccount: UInt32?

  /// Creates abilities; by default, the agent can only close programs.
  public init(onlyAccount: UInt32?, canPause: Bool = false, canCloseSessions: Bool = false, nodeAccount: UInt32? = nil)
  {
    (self.nodeAccount, self.onlyAccount) = (nodeAccount, onlyAccount)
    (self.canPause, self.canCloseSessions) = (canPause, canCloseSessions)
  }
}

/// The reports that a node has not stored yet (Protocol/13-agent.md §5).
struct ReportLog: Sendable {
  static let capacity = 4_096

  private(set) var waiting: [AgentReport] = []
  private var last: UInt64 = 0
  private var dropped: UInt64 = 0

  /// Adds an event and returns its report.
  ///
  /// It replaces an older report of the same program's activity, of the same account's screen time,
  /// or of what can be seen of people.
  mutating func add(_ event: AgentReport.Event, at now: BootInstant) -> AgentReport {
    switch event {
    case .active(let use, _, _):
      waiting.removeAll { report in
        if case .active(use, _, _) = report.event { true } else { false }
      }
    case .senses:
      waiting.removeAll { report in
        if case .senses = report.event { true } else { false }
      }
    case .screenTime(let account, _):
      waiting.removeAll { report in
        if case .screenTime(account, _) = report.event { true } else { false }
      }
    default: break
    }
    if waiting.count >= Self.capacity {
      // The oldest reports are dropped, many at once. One report with their count replaces them.
      let count = Self.capacity / 8
      dropped += UInt64(count)
      waiting.removeFirst(count)
      last += 1
      waiting.append(AgentReport(number: last, at: now, event: .dropped(count: dropped)))
    }
    last += 1
    let report = AgentReport(number: last, at: now, event: event)
    waiting.append(report)
    return report
  }

  mutating func forget(through number: UInt64) {
    // Reports are sorted by number.
    waiting.removeFirst(waiting.firstIndex { $0.number > number } ?? waiting.count)
  }
}
