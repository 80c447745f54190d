import CSodium

/// The hash function SHA-256, for a whole message or piece by piece.
public struct SHA256: Sendable {
  /// The size of a digest in bytes.
  public static let byteCount = 32

  private var state = crypto_hash_sha256_state()

  public init() {
    crypto_hash_sha256_init(&state)
  }

  /// Returns the digest of a whole message, 32 bytes.
  public static func hash(_ message: [UInt8]) -> [UInt8] {
    var hash = SHA256()
    hash.update(message)
    return hash.finalize()
  }

  public mutating func update(_ piece: [UInt8]) {
    crypto_hash_sha256_update(&state, piece, UInt64(piece.count))
  }

  /// Appends a piece of the message that lies in memory.
  public mutating func update(_ piece: UnsafeRawBufferPointer) {
    crypto_hash_sha256_update(&state, piece.bindMemory(to: UInt8.self).baseAddress, UInt64(piece.count))
  }

  /// Returns the digest, 32 bytes.
  public consuming func finalize() -> [UInt8] {
    var copy = state
    var digest = [UInt8](repeating: 0, count: Self.byteCount)
    crypto_hash_sha256_final(&copy, &digest)
    return digest
  }
}
