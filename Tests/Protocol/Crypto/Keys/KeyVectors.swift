/// The project's own vectors for keys.
struct KeyVectors: Decodable, Sendable {
  struct Signature: Decodable, Sendable {
    let seed: Hex
    let publicKey: Hex
    let message: Hex
    let signature: Hex
  }
  struct Agreement: Decodable, Sendable {
    let secret: Hex
    let publicKey: Hex
    let remoteSecret: Hex
    let remotePublicKey: Hex
    let shared: Hex
  }
  struct LowOrder: Decodable, Sendable {
    let publicKey: Hex
  }

  let ed25519: [Signature]
  let x25519: [Agreement]
  let x25519LowOrder: [LowOrder]

  static let all = Vectors.own("keys.json", as: KeyVectors.self)
}
