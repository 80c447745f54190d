import LatchkeyModel

/// What the shell around an agent's machine must do.
///
/// Spec: Protocol/13-agent.md §9.
public enum AgentEffect: Hashable, Sendable {
  /// Make these orders durable before anything else.
  case keep(AgentOrders)
  /// Ask a process to end (SIGTERM), by a descriptor of that process.
  case ask(ProcessIdentity)
  /// Kill a process (SIGKILL), by a descriptor of that process.
  case kill(ProcessIdentity)
  /// Freeze a process.
  case pause(ProcessIdentity)
  /// Send a report to the node, if it is connected; otherwise do nothing: it comes again.
  case tell(AgentReport)
}

/// What an agent can do on its machine.
public struct AgentAbilities: Hashable, Sendable {
  /// The account of which alone it may touch programs; `nil` for root's agent, which may touch those of every account that
  /// orders name.
  public var onlyAccount: UInt32?
  /// A Boolean value that indicates whether it can freeze programs.
  public var canPause: Bool
  /// A Boolean value that indicates whether it can close sessions and refuse log-ins.
  public var canCloseSessions: Bool

  /// Creates abilities; by default, none but closing the programs of one account, or of all.
  public init(onlyAccount: UInt32?, canPause: Bool = false, canCloseSessions: Bool = false) {
    self.onlyAccount = onlyAccount
    self.canPause = canPause
    self.canCloseSessions = canCloseSessions
  }
}
