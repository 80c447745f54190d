/// A usage record's name for life: 16 random bytes that are drawn when its session begins.
///
/// Nothing of them comes from the database, so that a database which is set back gives no ID a second time.
public struct RecordID: Hashable, Sendable {
  private let storage: Bytes16

  /// Wrap 16 bytes; nil for any other number.
  public init?(bytes: some Collection<UInt8>) {
    guard let storage = Bytes16(bytes) else { return nil }
    self.storage = storage
  }

  /// Read 32 hexadecimal digits; nil when they are anything else.
  public init?(_ text: some StringProtocol) {
    guard let bytes = Hexadecimal.decode(text) else { return nil }
    self.init(bytes: bytes)
  }

  /// 16 bytes.
  public var bytes: [UInt8] { storage.bytes }
}

extension RecordID: CustomStringConvertible {
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
