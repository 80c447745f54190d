/// How long a person used a session's application, by the clock that the system's agent keeps of
/// it.
///
/// Spec: Protocol/13-agent.md §9.
public struct SessionActivity: Hashable, Sendable, Codable {
  /// A reading of an agent's clock.
  public struct Reading: Hashable, Sendable {
    /// The run of the agent; the clocks of another run begin at 0.
    public var run: UInt64
    /// What the clock shows, in milliseconds.
    public var milliseconds: Int64

    public init(run: UInt64, milliseconds: Int64) {
      self.run = run
      self.milliseconds = milliseconds
    }
  }

  /// The run of the agent whose clock was read last.
  public var run: UInt64
  /// What that clock showed, in milliseconds.
  public var clock: Int64
  /// The time of activity in the session so far, in milliseconds.
  public var milliseconds: Int64

  public init(run: UInt64, clock: Int64, milliseconds: Int64 = 0) {
    self.run = run
    self.clock = clock
    self.milliseconds = milliseconds
  }

  /// Adds what has passed on the agent's clock since it was read last; a reading that is known adds
  /// nothing.
  public mutating func add(_ reading: Reading) {
    if reading.run == run { milliseconds += max(0, reading.milliseconds - clock) }
    clock = reading.run == run ? max(clock, reading.milliseconds) : reading.milliseconds
    run = reading.run
  }
}
