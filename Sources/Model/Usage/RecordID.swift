/// The permanent ID of a usage record: 16 random bytes that are chosen when its session begins.
///
/// They do not depend on the database, so that a restored database never assigns an ID twice.
public struct RecordID: Hashable, Sendable {
  private let storage: Bytes16

  /// Creates an ID from 16 bytes; `nil` for any other number.
  public init?(bytes: some Collection<UInt8>) {
    guard let storage = Bytes16(bytes) else { return nil }
    self.storage = storage
  }

  /// Creates an ID from 32 hexadecimal digits; `nil` for any other text.
  public init?(_ text: some StringProtocol) {
    guard let bytes = Hexadecimal.decode(text) else { return nil }
    self.init(bytes: bytes)
  }

  /// The ID as 16 bytes.
  public var bytes: [UInt8] { storage.bytes }
}

extension RecordID: CustomStringConvertible {
  /// The ID as 32 hexadecimal digits.
  public var description: String { Hexadecimal.encode(bytes) }
}

extension RecordID: Codable {
  public init(from decoder: any Decoder) throws {
    let text = try decoder.singleValueContainer().decode(String.self)
    guard let id = RecordID(text) else {
      throw DecodingError.dataCorrupted(
        .init(codingPath: decoder.codingPath, debugDescription: "not a record ID: \(text)"))
    }
    self = id
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(description)
  }
}
