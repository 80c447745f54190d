/// Sixteen bytes that need no allocation: the storage of every 16-byte identifier.
struct Bytes16: Hashable, Sendable, Comparable {
  let high: UInt64
  let low: UInt64

  init(high: UInt64, low: UInt64) {
    (self.high, self.low) = (high, low)
  }

  init?(_ bytes: some Collection<UInt8>) {
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

  private init?(buffer: UnsafeBufferPointer<UInt8>) {
    guard buffer.count == 16 else { return nil }
    let words = UnsafeRawBufferPointer(buffer)
    self.init(
      high: UInt64(bigEndian: words.loadUnaligned(fromByteOffset: 0, as: UInt64.self)),
      low: UInt64(bigEndian: words.loadUnaligned(fromByteOffset: 8, as: UInt64.self)))
  }

  var bytes: [UInt8] {
    [UInt8](unsafeUninitializedCapacity: 16) { buffer, count in
      for index in 0..<8 {
        buffer[index] = UInt8(truncatingIfNeeded: high >> UInt64(56 - 8 * index))
        buffer[index + 8] = UInt8(truncatingIfNeeded: low >> UInt64(56 - 8 * index))
      }
      count = 16
    }
  }

  static func < (left: Bytes16, right: Bytes16) -> Bool { (left.high, left.low) < (right.high, right.low) }
}

/// A value that stands as its text in JSON.
public protocol TextCodable: Codable, LosslessStringConvertible {
  /// What a text must be, as a fault calls it, such as “a device ID”.
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

  private let storage: Bytes16

  public init?(bytes: some Collection<UInt8>) {
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

  private let storage: Bytes16

  public init?(bytes: some Collection<UInt8>) {
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
