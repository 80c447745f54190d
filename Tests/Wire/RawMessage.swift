/// A protobuf message written by hand, field by field: what another implementation, or an attacker, would send.
struct RawMessage {
  private(set) var bytes: [UInt8] = []

  /// Add a field of wire type 0.
  func adding(_ field: UInt64, number: UInt64) -> RawMessage {
    RawMessage(bytes: bytes + Self.varint(field << 3) + Self.varint(number))
  }

  /// Add a field of wire type 1.
  func adding(_ field: UInt64, fixed: UInt64) -> RawMessage {
    RawMessage(
      bytes: bytes + Self.varint(field << 3 | 1) + (0..<8).map { UInt8(truncatingIfNeeded: fixed >> UInt64(8 * $0)) })
  }

  /// Add a field of wire type 2.
  func adding(_ field: UInt64, bytes content: [UInt8]) -> RawMessage {
    RawMessage(bytes: bytes + Self.varint(field << 3 | 2) + Self.varint(UInt64(content.count)) + content)
  }

  /// Add a field of wire type 2.
  func adding(_ field: UInt64, text: String) -> RawMessage { adding(field, bytes: Array(text.utf8)) }

  /// Add a field of wire type 2.
  func adding(_ field: UInt64, message: RawMessage) -> RawMessage { adding(field, bytes: message.bytes) }

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
