import CSodium
import LatchkeyModel

/// The hash function SHA-256, for a whole message or piece by piece.
public struct SHA256: Sendable {
  /// The size of a digest in bytes.
  public static let byteCount = 32

  private var state = crypto_hash_sha256_state()

  public init() { crypto_hash_sha256_init(&state) }

  /// Returns the digest of a whole message, 32 bytes.
  public static func hash(_ message: [UInt8]) -> [UInt8] {
    var hash = SHA256()
    hash.update(message)
    return hash.finalize()
  }

  public mutating func update(_ piece: [UInt8]) { crypto_hash_sha256_update(&state, piece, UInt64(piece.count)) }

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

public enum SHA512 {
  /// The size of a digest in bytes.
  public static let byteCount = 64

  /// Returns the digest of a whole message, 64 bytes.
  public static func hash(_ message: [UInt8]) -> [UInt8] {
    var digest = [UInt8](repeating: 0, count: byteCount)
    crypto_hash_sha512(&digest, message, UInt64(message.count))
    return digest
  }

  /// Returns the digest of a secret message as a secret of 64 bytes.
  public static func hash(_ message: SecretBytes) -> SecretBytes {
    SecretBytes(
      count: byteCount,
      writing: { output in
        _ = message.withBytePointer { crypto_hash_sha512(output, $0, UInt64(message.count)) }
      })
  }
}

/// Message authentication with HMAC-SHA-256 and a key of any size.
public enum HMACSHA256 {
  /// The size of an authentication code in bytes.
  public static let byteCount = 32

  /// Returns the authentication code of a message under a secret key, 32 bytes; compare codes with
  /// `ConstantTime.areEqual`.
  public static func authenticate(key: SecretBytes, message: [UInt8]) -> [UInt8] {
    key.withUnsafeBytes { authenticate(key: $0, message: message) }
  }

  /// Returns the authentication code of a message under a key in an array, 32 bytes; compare codes
  /// with `ConstantTime.areEqual`.
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

/// The derivation of keys from a secret with HKDF-SHA-256 (RFC 5869), on HMAC because the libsodium
/// of Debian 12 has no such function.
public enum HKDF {
  /// The largest number of bytes that one derivation can return.
  public static let maximumByteCount = 255 * HMACSHA256.byteCount

  /// Derives a secret of `count` bytes, at most `maximumByteCount`.
  ///
  /// An empty salt is equivalent to 32 zero bytes. `info` is the purpose of the result, so that two
  /// purposes never share a key.
  public static func derive(salt: [UInt8], inputKeyMaterial: SecretBytes, info: [UInt8], count: Int) -> SecretBytes {
    salt.withUnsafeBytes { salt in derive(salt: salt, inputKeyMaterial: inputKeyMaterial, info: info, count: count) }
  }

  public static func derive(
    salt: SecretBytes, inputKeyMaterial: SecretBytes, info: [UInt8], count: Int
  ) -> SecretBytes {
    salt.withUnsafeBytes { salt in derive(salt: salt, inputKeyMaterial: inputKeyMaterial, info: info, count: count) }
  }

  /// Derives bytes that need not stay secret, or that are held in arrays in any case.
  public static func derive(salt: [UInt8], inputKeyMaterial: [UInt8], info: [UInt8], count: Int) -> [UInt8] {
    derive(salt: salt, inputKeyMaterial: SecretBytes(inputKeyMaterial), info: info, count: count)
      .withUnsafeBytes { [UInt8]($0) }
  }

  private static func derive(
    salt: UnsafeRawBufferPointer, inputKeyMaterial: SecretBytes, info: [UInt8], count: Int
  ) -> SecretBytes {
    precondition(count >= 0 && count <= maximumByteCount, "HKDF yields at most \(maximumByteCount) bytes")
    let blockSize = HMACSHA256.byteCount
    let extracted = SecretBytes(
      count: blockSize,
      writing: { output in
        inputKeyMaterial.withUnsafeBytes { HMACSHA256.write(key: salt, pieces: ($0, .empty, .empty), into: output) }
      })
    let blockCount = (count + blockSize - 1) / blockSize
    let expanded = SecretBytes(
      count: blockCount * blockSize,
      writing: { output in
        for block in 0..<blockCount {
          let start = block * blockSize
          let previous =
            block == 0 ? .empty : UnsafeRawBufferPointer(start: output + (start - blockSize), count: blockSize)
          let counter = [UInt8(block + 1)]
          extracted.withUnsafeBytes { key in
            info.withUnsafeBytes { info in
              counter.withUnsafeBytes { counter in
                HMACSHA256.write(key: key, pieces: (previous, info, counter), into: output + start)
              }
            }
          }
        }
      })
    return count == expanded.count ? expanded : expanded.slice(0..<count)
  }
}

/// Argon2id for PINs. Both functions take about a tenth of a second and 19 MiB of memory: never
/// call them on an event loop. Spec: Protocol/10-household.md §3.
extension PINHash {
  /// Creates the hash of a PIN with a new salt; returns `nil` if there is no memory for it.
  public init?(hashing pin: PIN) {
    Sodium.prepare()
    var text = [CChar](repeating: 0, count: Int(crypto_pwhash_STRBYTES))
    let status = pin.digits.withCString {
      crypto_pwhash_str(&text, $0, UInt64(pin.digits.utf8.count), UInt64(Self.passes), Self.memoryKibibytes * 1_024)
    }
    guard status == 0 else { return nil }
    self.init(String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self))
  }

  /// Returns whether the hash is a PIN's; `false` as well without memory to find out.
  public func matches(_ pin: PIN) -> Bool {
    Sodium.prepare()
    return text.withCString { text in
      pin.digits.withCString { crypto_pwhash_str_verify(text, $0, UInt64(pin.digits.utf8.count)) == 0 }
    }
  }
}
