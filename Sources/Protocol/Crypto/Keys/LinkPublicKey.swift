/// The public key of the other side of a link: an X25519 public key of 32 bytes.
///
/// Points of small order, with which any agreed secret is public, cannot be represented.
public struct LinkPublicKey: Hashable, Sendable {
  public static let byteCount = 32

  /// The 32 bytes of the key.
  public let bytes: [UInt8]

  /// Creates a public key from bytes received from its owner.
  ///
  /// - Parameter bytes: The little-endian u-coordinate, 32 bytes.
  /// - Throws: `KeyError.wrongLength` or `KeyError.lowOrderPoint`, both the sender's fault.
  public init(bytes: [UInt8]) throws(KeyError) {
    guard bytes.count == Self.byteCount else {
      throw .wrongLength(expected: Self.byteCount, actual: bytes.count)
    }
    guard !Self.isLowOrder(bytes) else { throw .lowOrderPoint }
    self.bytes = bytes
  }

  /// Creates a public key from 32 bytes without a check, for a key just computed from its secret
  /// and for tests.
  package init(uncheckedBytes bytes: [UInt8]) {
    self.bytes = bytes
  }

  /// Returns whether 32 bytes encode one of the seven points of small order, with either value of
  /// the unused top bit.
  private static func isLowOrder(_ bytes: [UInt8]) -> Bool {
    // A public key is not secret, so the comparison need not take constant time.
    var masked = bytes
    masked[31] &= 0x7f
    return lowOrderPoints.contains(masked)
  }

  // u = 0, 1, p-1, p, p+1, and the two points of order eight, with p = 2^255 - 19.
  private static let lowOrderPoints: Set<[UInt8]> = [
    [UInt8](repeating: 0, count: 32),
    [1] + [UInt8](repeating: 0, count: 31),
    nearPrime(lowByte: 0xec),
    nearPrime(lowByte: 0xed),
    nearPrime(lowByte: 0xee),
    [
      0xe0, 0xeb, 0x7a, 0x7c, 0x3b, 0x41, 0xb8, 0xae, 0x16, 0x56, 0xe3, 0xfa, 0xf1, 0x9f, 0xc4, 0x6a,
      0xda, 0x09, 0x8d, 0xeb, 0x9c, 0x32, 0xb1, 0xfd, 0x86, 0x62, 0x05, 0x16, 0x5f, 0x49, 0xb8, 0x00,
    ],
    [
      0x5f, 0x9c, 0x95, 0xbc, 0xa3, 0x50, 0x8c, 0x24, 0xb1, 0xd0, 0xb1, 0x55, 0x9c, 0x83, 0xef, 0x5b,
      0x04, 0x44, 0x5c, 0xc4, 0x58, 0x1c, 0x8e, 0x86, 0xd8, 0x22, 0x4e, 0xdd, 0xd0, 0x9f, 0x11, 0x57,
    ],
  ]

  private static func nearPrime(lowByte: UInt8) -> [UInt8] {
    [lowByte] + [UInt8](repeating: 0xff, count: 30) + [0x7f]
  }
}
