/// A clock for how long things have waited: the time that this machine has run or slept, carried over from boot to boot.
///
/// It never jumps and never goes back. What passes while the machine is off does not count, since no clock can be trusted to
/// tell how long that was. Spec: Protocol/05-delivery.md §10.
public struct AgeClock: Hashable, Sendable {
  /// The boot it runs in.
  public let bootID: String
  /// Milliseconds on it when that boot began.
  public let base: Int64

  /// Go on from what was noted last; begin at 0 when nothing was.
  ///
  /// - Parameters:
  ///   - noted: the boot, the reading at its start, and the last moment noted in it.
  ///   - bootID: the present boot.
  public init(after noted: (bootID: String, base: Int64, last: BootInstant)?, bootID: String) {
    self.bootID = bootID
    switch noted {
    case nil: base = 0
    case let noted? where noted.bootID == bootID: base = noted.base
    case let noted?: base = noted.base + max(0, noted.last.milliseconds)
    }
  }

  /// The reading at a moment of this boot, in milliseconds.
  public func age(at now: BootInstant) -> Int64 { base + now.milliseconds }
}
