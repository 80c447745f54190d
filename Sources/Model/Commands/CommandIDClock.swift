/// A generator of command IDs in which later IDs sort later, even if the wall clock is set back.
///
/// Spec: Protocol/06-messages.md §1.
public struct CommandIDClock: Hashable, Sendable {
  /// The milliseconds and the 12 bits after the version of the last ID, as one number.
  private var last: Int64

  /// Creates a generator that continues after the newest ID so far; `nil` for none.
  public init(after newest: CommandID?) {
    let bytes = newest?.bytes ?? []
    let time = bytes.prefix(6).reduce(Int64(0)) { $0 << 8 | Int64($1) }
    let counter = bytes.dropFirst(6).prefix(2).reduce(Int64(0)) { $0 << 8 | Int64($1) } & 0xFFF
    last = newest == nil ? -1 : time << 12 | counter
  }

  /// Creates the next ID.
  ///
  /// - Parameters:
  ///   - wall: The time in Unix milliseconds; a time before that of the last ID counts as equal to
  ///     it.
  ///   - random: 8 random bytes, of which 62 bits are used.
  /// - Returns: An ID that sorts after all earlier ones.
  public mutating func next(wall: Int64, random: [UInt8]) -> CommandID {
    let greatest: Int64 = (1 << 60) - 1
    last = min(max(min(max(wall, 0), greatest >> 12) << 12, last + 1), greatest)
    let counter = [UInt8(truncatingIfNeeded: last >> 8) & 0x0F, UInt8(truncatingIfNeeded: last)]
    return CommandID(milliseconds: last >> 12, random: counter + random)
  }
}
