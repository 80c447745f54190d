/// A moment on CLOCK_BOOTTIME: counts through sleep, never jumps, starts anew with each boot. Decisions use this clock alone.
public struct BootInstant: Hashable, Sendable, Codable, Comparable {
  public var milliseconds: Int64

  public init(milliseconds: Int64) {
    self.milliseconds = milliseconds
  }

  public static func < (left: BootInstant, right: BootInstant) -> Bool { left.milliseconds < right.milliseconds }

  /// The moment `milliseconds` later.
  public static func + (instant: BootInstant, milliseconds: Int64) -> BootInstant {
    BootInstant(milliseconds: instant.milliseconds + milliseconds)
  }

  /// The milliseconds from `right` to `left`.
  public static func - (left: BootInstant, right: BootInstant) -> Int64 { left.milliseconds - right.milliseconds }
}
