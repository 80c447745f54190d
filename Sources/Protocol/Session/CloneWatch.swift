import LatchkeyModel

/// A detector of two live processes with one identity: it notices when a superseded process sends a
/// Hello again.
///
/// A late connection of a terminating process can bring its run back once, and with it the run that
/// it had superseded. A run that returns twice within `Limits.cloneMilliseconds` must still be
/// alive. A pure value of bounded size.
///
/// Spec: Protocol/04-session.md §10.
public struct CloneWatch: Sendable {
  private var present: [UInt8]?
  /// The runs that were superseded by another, oldest first.
  private var superseded: [[UInt8]] = []
  /// The time at which a superseded run returned.
  private var returns: [[UInt8]: BootInstant] = [:]
  /// The largest number of superseded runs that are remembered.
  static let memory = 16

  public init() {}

  /// Records that a run has returned once before.
  ///
  /// Only simulations of faults use this.
  package mutating func suspect(_ run: [UInt8], now: BootInstant) {
    superseded.append(run)
    returns[run] = now
  }

  /// Takes the run ID of a Hello in an authenticated session, and returns `true` if it proves that
  /// two live processes use this identity.
  ///
  /// `run` is `Hello.runID`, 16 bytes.
  public mutating func received(_ run: [UInt8], now: BootInstant) -> Bool {
    guard run != present else { return false }
    let isReturn = superseded.contains(run)
    superseded.removeAll { $0 == run }
    if let present { superseded.append(present) }
    if superseded.count > Self.memory { superseded.removeFirst(superseded.count - Self.memory) }
    present = run
    returns = returns.filter { now - $0.value < Limits.cloneMilliseconds }
    guard isReturn else { return false }
    return returns.updateValue(now, forKey: run) != nil
  }
}
