/// Sixteen bytes that need no allocation: the storage of every 16-byte identifier.
@usableFromInline struct Bytes16: Hashable, Sendable, Comparable {
  let high: UInt64
  let low: UInt64

  @usableFromInline init(high: UInt64, low: UInt64) { (self.high, self.low) = (high, low) }

  // Inlinable, like the initializers that call it, so that other modules specialize it for their
  // type of bytes.
  @inlinable init?(_ bytes: some Collection<UInt8>) {
    // Most values come from arrays, which need no iterator.
    if let known = bytes.withContiguousStorageIfAvailable({ Self(buffer: $0) }) {
      guard let known else { return nil }
      self = known
      return
    }
    guard bytes.count == 16 else { return nil }
    var high: UInt64 = 0
    var low: UInt64 = 0
    for (index, byte) in bytes.enumerated() {
      if index < 8 { high = high << 8 | UInt64(byte) } else { low = low << 8 | UInt64(byte) }
    }
    self.init(high: high, low: low)
  }

  @inlinable init?(buffer: UnsafeBufferPointer<UInt8>) {
    guard buffer.count == 16 else { return nil }
    let words = UnsafeRawBufferPointer(buffer)
    self.init(
      high: UInt64(bigEndian: words.loadUnaligned(fromByteOffset: 0, as: UInt64.self)),
      low: UInt64(bigEndian: words.loadUnaligned(fromByteOffset: 8, as: UInt64.self)))
  }

  var bytes: [UInt8] {
    [UInt8](unsafeUninitializedCapacity: 16) { buffer, count in
      let words = UnsafeMutableRawBufferPointer(buffer)
      words.storeBytes(of: high.bigEndian, toByteOffset: 0, as: UInt64.self)
      words.storeBytes(of: low.bigEndian, toByteOffset: 8, as: UInt64.self)
      count = 16
    }
  }

  /// Calls a closure with the bytes, for which no array is made.
  func withUnsafeBytes<Value>(_ body: (UnsafeRawBufferPointer) -> Value) -> Value {
    Swift.withUnsafeBytes(of: (high.bigEndian, low.bigEndian), body)
  }

  @usableFromInline static func < (left: Bytes16, right: Bytes16) -> Bool {
    (left.high, left.low) < (right.high, right.low)
  }
}

/// A value that is written as its text in JSON.
public protocol TextCodable: Codable, LosslessStringConvertible {
  /// The noun for a valid text in the words of a fault, such as “a device ID”.
  static var noun: String { get }
}

extension TextCodable {
  public init(from decoder: any Decoder) throws {
    let text = try decoder.singleValueContainer().decode(String.self)
    guard let value = Self(text) else {
      throw DecodingError.dataCorrupted(
        .init(codingPath: decoder.codingPath, debugDescription: "not \(Self.noun): \(text)"))
    }
    self = value
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(description)
  }
}

/// The permanent ID of a child: a UUID of version 7 (RFC 9562).
///
/// The parent's machine on which the child was added makes it. Other parents learn it from the
/// child's machines.
///
/// Spec: Protocol/10-household.md §1.
public struct ChildID: Hashable, Sendable, Comparable, TextCodable {
  public static let noun = "a child's ID"

  @usableFromInline let storage: Bytes16

  @inlinable public init?(bytes: some Collection<UInt8>) {
    guard let storage = Bytes16(bytes) else { return nil }
    self.storage = storage
  }

  /// Creates an ID from its text form, with or without hyphens; returns `nil` for any other text.
  public init?(_ text: some StringProtocol) {
    guard let id = CommandID(text) else { return nil }
    self.init(bytes: id.bytes)
  }

  /// Creates an ID of version 7 from 48 bits of Unix milliseconds and 74 bits of 10 random bytes.
  public init(milliseconds: Int64, random: [UInt8]) {
    guard let storage = Bytes16(CommandID(milliseconds: milliseconds, random: random).bytes) else {
      preconditionFailure("an ID of 16 bytes")
    }
    self.storage = storage
  }

  public var bytes: [UInt8] { storage.bytes }

  /// Returns whether `left` sorts before `right`, which compares the bytes.
  public static func < (left: ChildID, right: ChildID) -> Bool { left.storage < right.storage }

  /// The ID in the text form of a UUID, in lower case.
  public var description: String { CommandID(bytes: bytes)?.description ?? Hexadecimal.encode(bytes) }
}

/// The permanent ID of a usage record: 16 random bytes that are chosen when its session begins.
///
/// They do not depend on the database, so that a restored database never assigns an ID twice.
public struct RecordID: Hashable, Sendable, TextCodable {
  public static let noun = "a record ID"

  @usableFromInline let storage: Bytes16

  @inlinable public init?(bytes: some Collection<UInt8>) {
    guard let storage = Bytes16(bytes) else { return nil }
    self.storage = storage
  }

  /// Creates an ID from 32 hexadecimal digits; `nil` for any other text.
  public init?(_ text: some StringProtocol) {
    guard let bytes = Hexadecimal.decode(text) else { return nil }
    self.init(bytes: bytes)
  }

  public var bytes: [UInt8] { storage.bytes }

  public var description: String { Hexadecimal.encode(bytes) }
}

/// The permanent ID of a command: a UUID of version 7 (RFC 9562), so that later IDs sort later.
public struct CommandID: Hashable, Sendable, Comparable, TextCodable {
  public static let noun = "a command ID"

  @usableFromInline let storage: Bytes16

  @inlinable public init?(bytes: some Collection<UInt8>) {
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

  /// Calls a closure with the bytes, for which no array is made.
  public func withUnsafeBytes<Value>(_ body: (UnsafeRawBufferPointer) -> Value) -> Value {
    storage.withUnsafeBytes(body)
  }

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

/// The permanent ID of a device: the first 20 bytes of SHA-256 over a domain string and its two
/// public keys.
///
/// As text, it has 32 Crockford base-32 symbols and a Luhn mod 32 check symbol, in groups of four,
/// such as `ABCD-EFGH-…-K`.
///
/// Spec: Protocol/01-overview.md §3.
public struct DeviceID: Hashable, Sendable, Comparable, TextCodable {
  public static let noun = "a device ID"

  public let bytes: [UInt8]

  public static let size = 20

  @inlinable public init?(bytes: some Collection<UInt8>) {
    guard bytes.count == Self.size else { return nil }
    self.bytes = Array(bytes)
  }

  /// Creates an ID from text, without regard to case, dashes and spaces; checks its last symbol.
  public init?(_ text: some StringProtocol) {
    let compact = String(text).filter { $0 != "-" && $0 != " " }
    guard let values = Crockford.values(compact), values.count == 33, Crockford.check(values.dropLast()) == values[32],
      let bytes = Crockford.bytes(values.dropLast())
    else { return nil }
    self.init(bytes: bytes)
  }

  /// The first eight symbols: enough for a family's tables, and never proof of an identity.
  public var short: String { String(description.prefix(9)) }

  public static func < (left: DeviceID, right: DeviceID) -> Bool { left.bytes.lexicographicallyPrecedes(right.bytes) }

  public var description: String {
    let text = Crockford.encode(bytes)
    let check = Crockford.symbols[Int(Crockford.check(Crockford.values(text) ?? []))]
    let symbols = Array(text.utf8)
    var groups = stride(from: 0, to: 32, by: 4).map { String(decoding: symbols[$0..<$0 + 4], as: UTF8.self) }
    groups.append(String(decoding: [check], as: UTF8.self))
    return groups.joined(separator: "-")
  }
}
