/// A protobuf message that is written field by field, as another implementation or an attacker
/// would.
public struct RawMessage: Sendable {
  public private(set) var bytes: [UInt8] = []

  public init() {}

  private init(bytes: [UInt8]) { self.bytes = bytes }

  /// Returns the message with another field of wire type 0.
  public func adding(_ field: UInt64, number: UInt64) -> RawMessage {
    RawMessage(bytes: bytes + Self.varint(field << 3) + Self.varint(number))
  }

  /// Returns the message with another field of wire type 1.
  public func adding(_ field: UInt64, fixed: UInt64) -> RawMessage {
    RawMessage(
      bytes: bytes + Self.varint(field << 3 | 1) + (0..<8).map { UInt8(truncatingIfNeeded: fixed >> UInt64(8 * $0)) })
  }

  /// Returns the message with another field of wire type 2.
  public func adding(_ field: UInt64, bytes content: [UInt8]) -> RawMessage {
    RawMessage(bytes: bytes + Self.varint(field << 3 | 2) + Self.varint(UInt64(content.count)) + content)
  }

  public func adding(_ field: UInt64, text: String) -> RawMessage { adding(field, bytes: Array(text.utf8)) }

  public func adding(_ field: UInt64, message: RawMessage) -> RawMessage { adding(field, bytes: message.bytes) }

  private static func varint(_ value: UInt64) -> [UInt8] {
    var rest = value
    var bytes: [UInt8] = []
    while rest >= 128 {
      bytes.append(UInt8(rest & 127) | 128)
      rest >>= 7
    }
    return bytes + [UInt8(rest)]
  }
}
