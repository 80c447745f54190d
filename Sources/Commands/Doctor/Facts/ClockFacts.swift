/// This machine's wall clock, and the readings of other machines' clocks.
public struct ClockFacts: Sendable, Hashable {
  /// A time that a device recorded by its own clock.
  public struct Stamp: Sendable, Hashable {
    public var device: String
    /// The time in Unix milliseconds.
    public var at: Int64

    public init(device: String, at: Int64) {
      self.device = device
      self.at = at
    }
  }

  /// The time in Unix milliseconds by this machine's wall clock.
  public var now: Int64
  /// A Boolean value that indicates whether a time service synchronizes the clock; `nil` if the
  /// system does not report it.
  public var isSynchronised: Bool?
  /// The times received from other machines.
  public var stamps: [Stamp]

  public init(now: Int64 = 0, isSynchronised: Bool? = nil, stamps: [Stamp] = []) {
    self.now = now
    self.isSynchronised = isSynchronised
    self.stamps = stamps
  }
}
