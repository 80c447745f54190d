/// This machine's wall clock, and what others' clocks said.
public struct ClockFacts: Sendable, Hashable {
  /// What a device wrote by its own clock.
  public struct Stamp: Sendable, Hashable {
    public var device: String
    /// Unix milliseconds.
    public var at: Int64

    public init(device: String, at: Int64) {
      self.device = device
      self.at = at
    }
  }

  /// Unix milliseconds.
  public var now: Int64
  /// Whether the kernel's clock is kept right by a time service; nil when it does not say.
  public var isSynchronised: Bool?
  /// Times that arrived from other machines.
  public var stamps: [Stamp]

  public init(now: Int64 = 0, isSynchronised: Bool? = nil, stamps: [Stamp] = []) {
    self.now = now
    self.isSynchronised = isSynchronised
    self.stamps = stamps
  }
}
