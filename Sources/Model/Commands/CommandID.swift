/// The permanent ID of a command: a UUID of version 7 (RFC 9562), so that later IDs sort later.
public struct CommandID: Hashable, Sendable, Comparable, TextCodable {
  public static let noun = "a command ID"

  private let storage: Bytes16

  public init?(bytes: some Collection<UInt8>) {
    guard let storage = Bytes16(bytes) else { return nil }
    self.storage = storage
  }

  /// Creates an ID of version 7 from 48 bits of Unix milliseconds and 74 bits of 10 random bytes.
  public init(milliseconds: Int64, random: [UInt8]) {
    precondition(random.count == 10, "a version 7 UUID takes 10 random bytes")
    let time = UInt64(truncatingIfNeeded: milliseconds) & 0xFFFF_FFFF_FFFF
    let first = (UInt64(random[0]) << 8 | UInt64(random[1])) & 0x0FFF
    var low: UInt64 = 0
    for byte in random[2...] { low = low << 8 | UInt64(byte) }
    storage = Bytes16(high: time << 16 | 0x7000 | first, low: low & 0x3FFF_FFFF_FFFF_FFFF | 0x8000_0000_0000_0000)
  }

  /// Creates an ID from its text form with or without dashes; `nil` if the text is malformed.
  public init?(_ text: some StringProtocol) {
    guard let bytes = Hexadecimal.decode(String(text).filter { $0 != "-" }) else { return nil }
    self.init(bytes: bytes)
  }

  public var bytes: [UInt8] { storage.bytes }

  /// The time of creation by the author's clock in Unix milliseconds, for people only.
  public var milliseconds: Int64 { bytes.prefix(6).reduce(0) { $0 << 8 | Int64($1) } }

  public static func < (left: CommandID, right: CommandID) -> Bool { left.storage < right.storage }

  /// The ID as 32 hexadecimal digits in five groups.
  public var description: String {
    let text = Array(Hexadecimal.encode(bytes).utf8)
    return [0..<8, 8..<12, 12..<16, 16..<20, 20..<32]
      .map { String(decoding: text[$0], as: UTF8.self) }.joined(separator: "-")
  }
}

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

  /// Creates an ID that sorts after all earlier ones.
  ///
  /// `wall` is in Unix milliseconds; of the 8 random bytes, 62 bits are used.
  public mutating func next(wall: Int64, random: [UInt8]) -> CommandID {
    let greatest: Int64 = (1 << 60) - 1
    last = min(max(min(max(wall, 0), greatest >> 12) << 12, last + 1), greatest)
    let counter = [UInt8(truncatingIfNeeded: last >> 8) & 0x0F, UInt8(truncatingIfNeeded: last)]
    return CommandID(milliseconds: last >> 12, random: counter + random)
  }
}
