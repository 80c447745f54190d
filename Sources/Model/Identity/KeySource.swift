/// Makes and names pairwise keys; the store is given one, so that it needs no cryptography of its own.
public protocol KeySource: Sendable {
  /// A fresh random key, 32 bytes.
  func freshKey() -> [UInt8]

  /// The 8 bytes that name a pairwise key of 32 bytes without telling it. Spec: Protocol/04-session.md §9.
  func keyID(of key: [UInt8]) -> [UInt8]
}
