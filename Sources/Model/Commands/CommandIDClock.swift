/// Makes command IDs of which later ones sort later, whatever the wall clock does meanwhile.
///
/// Spec: Protocol/06-messages.md §1.
public struct CommandIDClock: Hashable, Sendable {
  /// Milliseconds and the 12 bits that follow the version of the last ID, as one number.
  private var last: Int64

  /// Go on after the newest ID that was given before; nil for none.
  public init(after newest: CommandID?) {
    let bytes = newest?.bytes ?? []
    let time = bytes.prefix(6).reduce(Int64(0)) { $0 << 8 | Int64($1) }
    let counter = bytes.dropFirst(6).prefix(2).reduce(Int64(0)) { $0 << 8 | Int64($1) } & 0xFFF
    last = newest == nil ? -1 : time << 12 | counter
  }

  /// Make the next ID.
  ///
  /// - Parameters:
  ///   - wall: Unix milliseconds; an earlier time than the last ID's counts as that.
  ///   - random: 8 random bytes, of which 62 bits are used.
  public mutating func next(wall: Int64, random: [UInt8]) -> CommandID {
    let greatest: Int64 = (1 << 60) - 1
    last = min(max(min(max(wall, 0), greatest >> 12) << 12, last + 1), greatest)
    let counter = [UInt8(truncatingIfNeeded: last >> 8) & 0x0F, UInt8(truncatingIfNeeded: last)]
    return CommandID(milliseconds: last >> 12, random: counter + random)
  }
}
