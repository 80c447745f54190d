import LatchkeyModel

/// The agent's greeting: its identity, and what it can see and do.
///
/// Spec: Protocol/13-agent.md §3.
public struct AgentHello: Hashable, Sendable {
  public var run: UInt64
  /// A Boolean value that indicates whether it is the system agent, as opposed to a single-user
  /// agent.
  public var isSystem: Bool
  /// A Boolean value that indicates whether the kernel reports each program immediately; otherwise
  /// it scans every second.
  public var hasEvents: Bool
  /// A Boolean value that indicates whether it sees log-in sessions through logind.
  public var hasSessions: Bool
  /// A Boolean value that indicates whether it can read an input device of this machine.
  public var hasInput: Bool
  public var user: UInt32
  public var boot: String
  /// The number of the orders in force; `nil` if it has none.
  public var orders: UInt64?

  public init(
    run: UInt64, isSystem: Bool, hasEvents: Bool, hasSessions: Bool = false, hasInput: Bool = false, user: UInt32,
    boot: String, orders: UInt64?
  ) {
    self.run = run
    self.isSystem = isSystem
    self.hasEvents = hasEvents
    self.hasSessions = hasSessions
    self.hasInput = hasInput
    self.user = user
    self.boot = boot
    self.orders = orders
  }

  func write(to body: inout FieldWriter) {
    body.number64(run)
    body.flag(isSystem)
    body.flag(hasEvents)
    body.flag(hasSessions)
    body.flag(hasInput)
    body.number32(user)
    body.bootID(boot)
    body.flag(orders != nil)
    body.number64(orders ?? 0)
  }

  init(from body: inout FieldReader) throws(AgentFrameError) {
    run = try body.number64()
    isSystem = try body.flag("whether it is the system's")
    hasEvents = try body.flag("whether it has events")
    hasSessions = try body.flag("whether it sees sessions")
    hasInput = try body.flag("whether it sees input")
    user = try body.number32()
    boot = try body.bootID()
    let isHeld = try body.flag("whether it has orders")
    let number = try body.number64()
    guard isHeld || number == 0 else { throw .value("orders \(number) that are none") }
    orders = isHeld ? number : nil
  }
}

/// The node's answer to an agent's greeting.
///
/// Spec: Protocol/13-agent.md §3.
public struct NodeWelcome: Hashable, Sendable {
  /// The run of the agent that sent the greeting.
  public var run: UInt64
  /// The number of the last report of that run that the node has stored; 0 if it knows of none.
  public var stored: UInt64

  public init(run: UInt64, stored: UInt64) {
    self.run = run
    self.stored = stored
  }

  func write(to body: inout FieldWriter) {
    body.number64(run)
    body.number64(stored)
  }

  init(from body: inout FieldReader) throws(AgentFrameError) {
    run = try body.number64()
    stored = try body.number64()
  }
}
