/// The permanent ID of a child: a UUID of version 7 (RFC 9562).
///
/// The parent's machine on which the child was added makes it. Other parents learn it from the
/// child's machines.
///
/// Spec: Protocol/10-household.md §1.
public struct ChildID: Hashable, Sendable, Comparable {
  private let storage: Bytes16

  /// Creates an ID from 16 bytes; returns `nil` for any other number.
  public init?(bytes: some Collection<UInt8>) {
    guard let storage = Bytes16(bytes) else { return nil }
    self.storage = storage
  }

  /// Creates an ID from its text form, with or without hyphens; returns `nil` for any other text.
  public init?(_ text: some StringProtocol) {
    guard let id = CommandID(text) else { return nil }
    self.init(bytes: id.bytes)
  }

  /// Creates an ID of version 7.
  ///
  /// - Parameters:
  ///   - milliseconds: Unix milliseconds, of which the low 48 bits are used.
  ///   - random: 10 random bytes, of which 74 bits are used.
  public init(milliseconds: Int64, random: [UInt8]) {
    guard let storage = Bytes16(CommandID(milliseconds: milliseconds, random: random).bytes) else {
      preconditionFailure("an ID of 16 bytes")
    }
    self.storage = storage
  }

  /// The ID as 16 bytes.
  public var bytes: [UInt8] { storage.bytes }

  /// Returns whether `left` sorts before `right`, which compares the bytes.
  public static func < (left: ChildID, right: ChildID) -> Bool { left.storage < right.storage }
}

extension ChildID: CustomStringConvertible {
  /// The ID in the text form of a UUID, in lower case.
  public var description: String { CommandID(bytes: bytes)?.description ?? Hexadecimal.encode(bytes) }
}

extension ChildID: Codable {
  public init(from decoder: any Decoder) throws {
    let text = try decoder.singleValueContainer().decode(String.self)
    guard let id = ChildID(text) else {
      throw DecodingError.dataCorrupted(
        .init(codingPath: decoder.codingPath, debugDescription: "not a child's ID: \(text)"))
    }
    self = id
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(description)
  }
}
