/// A key that both sides of a handshake already share: 32 secret bytes of full entropy.
public struct PresharedKey: Sendable, Equatable {
  public static let byteCount = 32

  /// The key itself, for a key derivation or for storage with other secrets.
  public let secret: SecretBytes

  /// Creates a key from a secret.
  ///
  /// - Parameter secret: The key, 32 bytes.
  /// - Throws: `KeyError.wrongLength`, the caller's fault.
  public init(secret: SecretBytes) throws(KeyError) {
    guard secret.count == Self.byteCount else {
      throw .wrongLength(expected: Self.byteCount, actual: secret.count)
    }
    self.secret = secret
  }

  /// Creates a key from an array, which is not erased.
  ///
  /// - Parameter bytes: The key, 32 bytes.
  /// - Throws: `KeyError.wrongLength`, the caller's fault.
  public init(bytes: [UInt8]) throws(KeyError) {
    try self.init(secret: SecretBytes(bytes))
  }

  private init(checked secret: SecretBytes) {
    self.secret = secret
  }

  public static func generate() -> PresharedKey {
    PresharedKey(checked: .random(count: byteCount))
  }
}

/// The reasons why the bytes of a key are invalid.
public enum KeyError: Error, Equatable, Sendable {
  /// A key or seed does not have the size of its type.
  ///
  /// Sizes are in bytes.
  case wrongLength(expected: Int, actual: Int)
  /// A public key lies in a small subgroup, so that any secret agreed with it would be public.
  case lowOrderPoint
}

extension KeyError: CustomStringConvertible {
  /// One sentence with the fault and the next step.
  public var description: String {
    switch self {
    case .wrongLength(let expected, let actual):
      "The key is \(actual) bytes long instead of \(expected); copy it again in full."
    case .lowOrderPoint:
      "The public key is one of the few that make every secret public; ask its owner for a new one."
    }
  }
}
