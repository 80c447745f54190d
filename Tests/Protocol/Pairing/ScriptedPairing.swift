import LatchkeyModel
import LatchkeyTestSupport

@testable import LatchkeyProtocol

/// A peer that knows the code and does what a test wants.
///
/// Its frames are well formed, but their content may not be valid.
struct ScriptedPairing {
  let party: PairingParty
  let random: [UInt8]
  private var handshake: NoiseHandshake
  private var transport: NoiseTransport?

  init(_ role: NoiseRole, party: PairingParty, code: PairingCode, _ random: inout SeededRandom) throws {
    self.party = party
    self.random = random.bytes(32)
    handshake = try NoiseHandshake(
      pattern: .xxPSK0PSK3, role: role,
      prologue: PairingSecrets.prologue(.pairing(discriminator: code.discriminator), joinerRole: .child),
      staticKey: party.link,
      ephemeralKey: Samples.linkKeys(&random), remoteStatic: nil,
      presharedKeys: Array(repeating: PairingSecrets.handshakeKey(secret: code.secret), count: 2))
  }

  /// The introduction of an honest peer.
  var introduction: PairingIntroduction {
    PairingIntroduction(
      identityKey: party.identity.publicKey.bytes, name: party.name.text, role: party.role, random: random)
  }

  /// The commitment of an honest joiner.
  var commitment: [UInt8] { PairingSecrets.joinerCommitment(keys: party.keys, random: random) }

  mutating func write(_ payload: [UInt8]) throws -> [UInt8] {
    let frame = try handshake.writeMessage(payload: payload)
    if handshake.isFinished { transport = try handshake.finish() }
    return frame
  }

  mutating func read(_ frame: [UInt8]) throws -> [UInt8] {
    let payload = try handshake.readMessage(frame)
    if handshake.isFinished { transport = try handshake.finish() }
    return payload
  }

  mutating func seal(_ plaintext: [UInt8]) throws -> [UInt8] {
    guard let frame = try transport?.seal(plaintext) else { throw NoiseError.handshakeUnfinished }
    return frame
  }

  mutating func seal(_ step: PairingStep) throws -> [UInt8] { try seal(PairingCodec.encode(step)) }

  mutating func open(_ frame: [UInt8]) throws -> PairingStep {
    guard let plaintext = try transport?.open(frame) else { throw NoiseError.handshakeUnfinished }
    return try PairingCodec.step(plaintext)
  }

  /// A signature over the handshake, as that side.
  func proof(isInviter: Bool, by identity: IdentityKeyPair? = nil) -> PairingStep {
    let hash = transport?.handshakeHash ?? []
    return .proof(
      signature: (identity ?? party.identity).sign(PairingSecrets.proof(isInviter: isInviter, handshakeHash: hash)))
  }
}
