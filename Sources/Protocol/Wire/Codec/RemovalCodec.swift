import LatchkeyModel

/// The encoding of a removal's body.
///
/// Spec: Protocol/06-messages.md §7.
public enum RemovalCodec {
  /// Returns the body of a removal with a signature of 64 bytes.
  public static func encode(signature: [UInt8]) -> [UInt8] {
    var message = Latchkey_V1_Removal()
    message.signature = WireBytes(signature)
    return message.wireBytes
  }

  /// Returns the signature in the body of a removal.
  ///
  /// Throws `WireError`, the peer's fault.
  public static func signature(_ body: [UInt8]) throws(WireError) -> [UInt8] {
    let message = try Latchkey_V1_Removal(wire: body)
    guard message.signature.count == 64 else { throw WireError("a signature of \(message.signature.count) bytes") }
    return Array(message.signature)
  }
}
