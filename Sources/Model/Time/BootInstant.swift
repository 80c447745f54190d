/// An instant on CLOCK_BOOTTIME, which includes sleep, never jumps, and restarts with each boot.
///
/// Decisions use only this clock.
public struct BootInstant: Hashable, Sendable, Codable, Comparable {
  /// The milliseconds since the boot.
  public var milliseconds: Int64

  /// Creates an instant.
  public init(milliseconds: Int64) {
    self.milliseconds = milliseconds
  }

  /// Returns whether `left` sorts before `right`.
  public static func < (left: BootInstant, right: BootInstant) -> Bool { left.milliseconds < right.milliseconds }

  /// Returns the instant a number of milliseconds later.
  public static func + (instant: BootInstant, milliseconds: Int64) -> BootInstant {
    BootInstant(milliseconds: instant.milliseconds + milliseconds)
  }

  /// Returns the number of milliseconds from `right` to `left`.
  public static func - (left: BootInstant, right: BootInstant) -> Int64 { left.milliseconds - right.milliseconds }
}
