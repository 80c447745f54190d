import LatchkeyModel

/// Notices that two live processes use one identity: a run that was superseded by another one says Hello again.
///
/// A late connection of a dying process can bring one run back once, and with it the run that it had superseded. Only a run
/// that returns twice within `Limits.cloneMilliseconds` cannot have died. Pure values, bounded. Spec: Protocol/04-session.md §10.
public struct CloneWatch: Sendable {
  private var present: [UInt8]?
  /// Runs that another one has taken the place of, oldest first.
  private var superseded: [[UInt8]] = []
  /// When each run came back, for those that did.
  private var returns: [[UInt8]: BootInstant] = [:]
  /// Superseded runs that are remembered.
  static let memory = 16

  public init() {}

  /// Takes a run for one that has returned before: nothing but a deliberate fault of a simulation does.
  package mutating func suspect(_ run: [UInt8], now: BootInstant) {
    superseded.append(run)
    returns[run] = now
  }

  /// Take the run ID of a Hello that a verified session brought.
  ///
  /// - Parameters:
  ///   - run: 16 bytes, `Hello.runID`.
  ///   - now: by the clock for decisions.
  /// - Returns: true when it proves that two live processes use this identity.
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
