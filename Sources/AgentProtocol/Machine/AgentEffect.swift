import LatchkeyModel

/// What the shell around an agent's machine must do.
///
/// Spec: Protocol/13-agent.md §9.
public enum AgentEffect: Hashable, Sendable {
  /// Ask a process to end (SIGTERM), by a descriptor of that process.
  case ask(ProcessIdentity)
  /// Kill a process (SIGKILL), by a descriptor of that process.
  case kill(ProcessIdentity)
  case pause(ProcessIdentity)
  /// Let a process that was frozen go on.
  case resume(ProcessIdentity)
  case lockSessions(UInt32)
  /// End the sessions of an account, and kill what is left of it.
  case endSessions(UInt32)
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
  /// The account of the node, whose sessions are never closed; `nil` if it is the one that the agent acts for.
  public var nodeAccount: UInt32?

  /// Creates abilities; by default, none but closing the programs of one account, or of all.
  public init(onlyAccount: UInt32?, canPause: Bool = false, canCloseSessions: Bool = false, nodeAccount: UInt32? = nil)
  {
    self.nodeAccount = nodeAccount
    self.onlyAccount = onlyAccount
    self.canPause = canPause
    self.canCloseSessions = canCloseSessions
  }
}
