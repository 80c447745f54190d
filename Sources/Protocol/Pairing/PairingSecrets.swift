import LatchkeyCrypto
import LatchkeyModel
import LatchkeyWire

/// Every value that a pairing derives, in one place. Spec: Protocol/03-pairing.md §3, §6.
enum PairingSecrets {
  /// What both sides have to agree on: the kind of code, the roles, and with a typed code all that CPace said.
  static func prologue(_ preamble: Preamble, joinerRole: DeviceRole, exchange: [UInt8] = []) -> [UInt8] {
    Array("latchkey pairing v1".utf8) + preamble.bytes + [1, joinerRole == .parent ? 1 : 2] + exchange
  }

  /// Who talks to whom, for CPace.
  static func channelIdentifier(_ preamble: Preamble, joinerRole: DeviceRole) -> [UInt8] {
    Array("latchkey typed code v1".utf8) + preamble.bytes + [1, joinerRole == .parent ? 1 : 2]
  }

  /// The one PSK of the handshake, mixed in before the first and at the third message.
  ///
  /// - Parameter secret: the pasted code's 16 bytes, or the 64 bytes that CPace made of a typed one.
  static func handshakeKey(secret: SecretBytes) -> PresharedKey {
    key(
      HKDF.derive(
        salt: Array("latchkey pairing code v1".utf8), inputKeyMaterial: secret, info: Array("handshake".utf8), count: 32
      ))
  }

  /// The handshake of either side, ready for the first message.
  static func handshake(
    _ role: NoiseRole, own: PairingParty, ephemeralKey: LinkKeyPair, secret: SecretBytes, prologue: [UInt8]
  ) -> NoiseHandshake {
    do {
      return try NoiseHandshake(
        pattern: .xxPSK0PSK3, role: role, prologue: prologue, staticKey: own.link, ephemeralKey: ephemeralKey,
        remoteStatic: nil, presharedKeys: Array(repeating: handshakeKey(secret: secret), count: 2))
    } catch { preconditionFailure("the pattern's keys are all given: \(error)") }
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
