import CSodium

/// Message authentication with HMAC-SHA-256 and a key of any size.
public enum HMACSHA256 {
  /// The size of an authentication code in bytes.
  public static let byteCount = 32

  /// Returns the authentication code of a message under a secret key, 32 bytes.
  ///
  /// Compare codes with `ConstantTime.areEqual`.
  public static func authenticate(key: SecretBytes, message: [UInt8]) -> [UInt8] {
    key.withUnsafeBytes { authenticate(key: $0, message: message) }
  }

  /// Returns the authentication code of a message under a key in an array, 32 bytes.
  ///
  /// Compare codes with `ConstantTime.areEqual`.
  public static func authenticate(key: [UInt8], message: [UInt8]) -> [UInt8] {
    key.withUnsafeBytes { authenticate(key: $0, message: message) }
  }

  private static func authenticate(key: UnsafeRawBufferPointer, message: [UInt8]) -> [UInt8] {
    var code = [UInt8](repeating: 0, count: byteCount)
    message.withUnsafeBytes { write(key: key, pieces: ($0, .empty, .empty), into: &code) }
    return code
  }

  /// Writes the code of up to three pieces, taken as one message, to 32 bytes of memory.
  static func write(
    key: UnsafeRawBufferPointer,
    pieces: (UnsafeRawBufferPointer, UnsafeRawBufferPointer, UnsafeRawBufferPointer),
    into output: UnsafeMutablePointer<UInt8>
  ) {
    var state = crypto_auth_hmacsha256_state()
    // The state has the same value to an attacker as the key.
    defer { sodium_memzero(&state, MemoryLayout<crypto_auth_hmacsha256_state>.size) }
    if let start = key.baseAddress {
      crypto_auth_hmacsha256_init(&state, start.assumingMemoryBound(to: UInt8.self), key.count)
    } else {
      crypto_auth_hmacsha256_init(&state, [0], 0)
    }
    for piece in [pieces.0, pieces.1, pieces.2] where !piece.isEmpty {
      crypto_auth_hmacsha256_update(&state, piece.baseAddress?.assumingMemoryBound(to: UInt8.self), UInt64(piece.count))
    }
    crypto_auth_hmacsha256_final(&state, output)
  }
}

extension UnsafeRawBufferPointer {
  static var empty: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: nil, count: 0) }
}
