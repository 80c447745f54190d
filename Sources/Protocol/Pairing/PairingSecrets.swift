import LatchkeyModel

/// The values that a pairing derives (Protocol/03-pairing.md §3, §6).
enum PairingSecrets {
  /// Returns the data on which both sides have to agree: the kind of code, the roles and, with a
  /// typed code, the frames of CPace.
  static func prologue(_ preamble: Preamble, joinerRole: DeviceRole, exchange: [UInt8] = []) -> [UInt8] {
    Array("latchkey pairing v1".utf8) + preamble.bytes + [1, joinerRole == .parent ? 1 : 2] + exchange
  }

  /// Returns the channel identifier for CPace, which names the two parties.
  static func channelIdentifier(_ preamble: Preamble, joinerRole: DeviceRole) -> [UInt8] {
    Array("latchkey typed code v1".utf8) + preamble.bytes + [1, joinerRole == .parent ? 1 : 2]
  }

  /// Returns the pre-shared key of the handshake, from the pasted code's 16 bytes or the 64 bytes
  /// that CPace derives.
  ///
  /// It is mixed in before the first message and at the third.
  static func handshakeKey(secret: SecretBytes) -> PresharedKey {
    key(
      HKDF.derive(
        salt: Array("latchkey pairing code v1".utf8), inputKeyMaterial: secret, info: Array("handshake".utf8), count: 32
      ))
  }

  /// Returns the handshake of either side, ready for the first message.
  static func handshake(
    _ role: NoiseRole, own: PairingParty, ephemeralKey: LinkKeyPair, secret: SecretBytes, prologue: [UInt8]
  ) -> NoiseHandshake {
    do {
      return try NoiseHandshake(
        pattern: .xxPSK0PSK3, role: role, prologue: prologue, staticKey: own.link, ephemeralKey: ephemeralKey,
        remoteStatic: nil, presharedKeys: Array(repeating: handshakeKey(secret: secret), count: 2))
    } catch { preconditionFailure("the pattern's keys are all given: \(error)") }
  }

  /// Returns the value that commits a joiner to its keys and random number before it sees the
  /// inviter's.
  static func joinerCommitment(keys: DeviceKeys, random: [UInt8]) -> [UInt8] {
    SHA256.hash(Array("latchkey joiner commitment v1".utf8) + keys.identity.bytes + keys.link.bytes + random)
  }

  /// Returns the message that each identity key signs after the handshake.
  static func proof(isInviter: Bool, handshakeHash: [UInt8]) -> [UInt8] {
    Array("latchkey pairing proof v1".utf8) + [isInviter ? 1 : 2] + handshakeHash
  }

  /// Returns the pre-shared key of all later sessions between the two devices.
  static func pairwiseKey(
    handshakeHash: [UInt8], secret: SecretBytes, inviterRandom: [UInt8], joinerRandom: [UInt8]
  ) -> PresharedKey {
    key(
      HKDF.derive(
        salt: handshakeHash,
        inputKeyMaterial: SecretBytes(joining: [secret, SecretBytes(inviterRandom), SecretBytes(joinerRandom)]),
        info: Array("latchkey pairwise key v1".utf8), count: 32))
  }

  /// Returns the six digits that both screens show.
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
