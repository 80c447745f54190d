import CSodium
import LatchkeyModel

/// Argon2id for PINs.
///
/// Both functions take about a tenth of a second and 19 MiB of memory: never call them on an
/// event loop.
///
/// Spec: Protocol/10-household.md §3.
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

  /// Returns whether the hash is that of a PIN.
  ///
  /// The answer is `false` as well if there is no memory to find out.
  public func matches(_ pin: PIN) -> Bool {
    Sodium.prepare()
    return text.withCString { text in
      pin.digits.withCString { crypto_pwhash_str_verify(text, $0, UInt64(pin.digits.utf8.count)) == 0 }
    }
  }
}
