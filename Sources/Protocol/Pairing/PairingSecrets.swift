import LatchkeyCrypto
import LatchkeyModel
import LatchkeyWire

/// Every value that a pairing derives, in one place. Spec: Protocol/03-pairing.md §3, §6.
enum PairingSecrets {
  static func prologue(discriminator: UInt16, joinerRole: DeviceRole) -> [UInt8] {
    Array("latchkey pairing v1".utf8) + Preamble.pairing(discriminator: discriminator).bytes
      + [1, joinerRole == .parent ? 1 : 2]
  }

  /// The one PSK of the handshake, mixed in before the first and at the third message.
  static func handshakeKey(secret: SecretBytes) -> PresharedKey {
    key(
      HKDF.derive(
        salt: Array("latchkey pairing code v1".utf8), inputKeyMaterial: secret, info: Array("handshake".utf8), count: 32
      ))
  }

  /// What binds a joiner to its keys and random number before it sees the inviter's.
  static func joinerCommitment(keys: DeviceKeys, random: [UInt8]) -> [UInt8] {
    SHA256.hash(Array("latchkey joiner commitment v1".utf8) + keys.identity.bytes + keys.link.bytes + random)
  }

  /// What each identity key signs after the handshake.
  static func proof(isInviter: Bool, handshakeHash: [UInt8]) -> [UInt8] {
    Array("latchkey pairing proof v1".utf8) + [isInviter ? 1 : 2] + handshakeHash
  }

  /// The PSK of all later sessions of the two devices.
  static func pairwiseKey(
    handshakeHash: [UInt8], secret: SecretBytes, inviterRandom: [UInt8], joinerRandom: [UInt8]
  ) -> PresharedKey {
    key(
      HKDF.derive(
        salt: handshakeHash,
        inputKeyMaterial: SecretBytes(joining: [secret, SecretBytes(inviterRandom), SecretBytes(joinerRandom)]),
        info: Array("latchkey pairwise key v1".utf8), count: 32))
  }

  /// The six digits that both screens show.
  static func digits(inviter: DeviceKeys, joiner: DeviceKeys, inviterRandom: [UInt8], joinerRandom: [UInt8]) -> String {
    let hash = SHA256.hash(
      Array("latchkey digits v1".utf8) + inviter.identity.bytes + inviter.link.bytes + joiner.identity.bytes
        + joiner.link.bytes + inviterRandom + joinerRandom)
    let number = hash.prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) } % 1_000_000
    let text = String(number)
    return String(repeating: "0", count: 6 - text.count) + text
  }

  private static func key(_ secret: SecretBytes) -> PresharedKey {
    do { return try PresharedKey(secret: secret) } catch { preconditionFailure("HKDF gave other than 32 bytes") }
  }
}
