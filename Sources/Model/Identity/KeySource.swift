/// A source of pairwise keys and their names, so that the store needs no cryptography of its own.
public protocol KeySource: Sendable {
  /// Returns a new random key of 32 bytes.
  func freshKey() -> [UInt8]

  /// Returns the 8 bytes that identify a pairwise key of 32 bytes without revealing it.
  ///
  /// Spec: Protocol/04-session.md §9.
  func keyID(of key: [UInt8]) -> [UInt8]
}
