import LatchkeyModel

/// An action that the program around an agent's machine must carry out.
///
/// Spec: Protocol/13-agent.md §9.
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
  /// Send a report to the node, if it is connected; otherwise do nothing, since the report is sent
  /// again later.
  case tell(AgentReport)
}

/// The abilities of an agent on its machine.
public struct AgentAbilities: Hashable, Sendable {
  /// The only account whose programs it may act on; `nil` for the system agent, which may act on
  /// every account that orders name.
  public var onlyAccount: UInt32?
  /// A Boolean value that indicates whether it can freeze programs.
  public var canPause: Bool
  /// A Boolean value that indicates whether it can close sessions and refuse log-ins.
  public var canCloseSessions: Bool
  /// The account of the node, whose sessions are never closed; `nil` if the agent acts for that
  /// account.
  public var nodeAccount: UInt32?

  /// Creates abilities.
  ///
  /// By default, the agent can only close programs.
  public init(onlyAccount: UInt32?, canPause: Bool = false, canCloseSessions: Bool = false, nodeAccount: UInt32? = nil)
  {
    self.nodeAccount = nodeAccount
    self.onlyAccount = onlyAccount
    self.canPause = canPause
    self.canCloseSessions = canCloseSessions
  }
}
