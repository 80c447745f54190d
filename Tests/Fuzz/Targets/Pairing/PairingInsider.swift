import LatchkeyModel
import LatchkeyProtocol
import LatchkeyTestSupport

/// An attacker who knows the code, and sends what the script determines with valid tags.
///
/// It is written from Protocol/03-pairing.md §3.
struct PairingInsider {
  private static let party = FuzzedRig.party(.child, seed: 8)
  private static let random = [UInt8](repeating: 9, count: 32)

  private var handshake: NoiseHandshake
  private(set) var transport: NoiseTransport?
  /// A Boolean value that indicates whether the attacker has proved its keys as it should.
  private(set) var hasProved = false
  private let isInviter: Bool

  init(isInviter: Bool) {
    self.isInviter = isInviter
    guard case .pasted(let code) = FuzzedRig.codes(isTyped: false).inviter else { preconditionFailure("it is pasted") }
    var random = SeededRandom(seed: 9)
    do {
      let key = try PresharedKey(
        secret: HKDF.derive(
          salt: Array("latchkey pairing code v1".utf8), inputKeyMaterial: code.secret, info: Array("handshake".utf8),
          count: 32))
      handshake = try NoiseHandshake(
        pattern: .xxPSK0PSK3, role: isInviter ? .responder : .initiator,
        prologue: Array("latchkey pairing v1".utf8)
          + Preamble.pairing(discriminator: code.discriminator).bytes + [1, 2], staticKey: Self.party.link,
        ephemeralKey: Samples.linkKeys(&random), remoteStatic: nil, presharedKeys: [key, key])
    } catch { preconditionFailure("the pattern's keys are all given: \(error)") }
  }

  /// The attacker's keys, which no code names.
  static var keys: DeviceKeys { party.keys }

  /// Returns the next frame to send: the right one, or other bytes in its place.
  mutating func next(_ script: inout ByteScript) -> [UInt8]? {
    do {
      if transport != nil {
        let said = plaintext(step(&script), &script)
        if said == proof { hasProved = true }
        return try transport?.seal(said)
      }
      guard handshake.isMyTurn else { return nil }
      let payload = plaintext(isInviter || handshake.remoteStatic != nil ? introduction(&script) : opening, &script)
      let frame = try handshake.writeMessage(payload: payload)
      if handshake.isFinished { transport = try handshake.finish() }
      return frame
    } catch { preconditionFailure("what the script says is short: \(error)") }
  }

  /// Handles a frame of the victim.
  mutating func hear(_ frame: [UInt8]) {
    if transport != nil {
      _ = try? transport?.open(frame)
    } else if !handshake.isMyTurn, (try? handshake.readMessage(frame)) != nil, handshake.isFinished {
      transport = try? handshake.finish()
    }
  }

  private func plaintext(_ proper: [UInt8], _ script: inout ByteScript) -> [UInt8] {
    guard script.byte() >= 192 else { return proper }
    return script.block()
  }

  private var opening: [UInt8] {
    let keys = Self.keys
    return PairingCodec.encode(
      PairingOpening(
        commitment: SHA256.hash(
          Array("latchkey joiner commitment v1".utf8) + keys.identity.bytes + keys.link.bytes + Self.random)))
  }

  private func introduction(_ script: inout ByteScript) -> [UInt8] {
    let way = script.byte()
    var introduction = PairingIntroduction(
      identityKey: Self.keys.identity.bytes, name: "Mallory", role: isInviter ? .parent : .child, random: Self.random)
    if way & 1 != 0 { introduction.name = String(decoding: script.block(), as: UTF8.self) }
    if way & 2 != 0 { introduction.identityKey = script.wholeBytes(32) }
    if way & 4 != 0 { introduction.random = script.wholeBytes(32) }
    if way & 8 != 0 { introduction.role = isInviter ? .child : .parent }
    if way & 16 != 0 {
      let least = UInt32(script.byte())
      introduction.versions = least...(least + UInt32(script.byte()))
    }
    return PairingCodec.encode(introduction)
  }

  /// A valid proof for this role and this handshake.
  private var proof: [UInt8] {
    PairingCodec.encode(PairingStep.proof(signature: signature(asInviter: isInviter)))
  }

  private func signature(asInviter: Bool) -> [UInt8] {
    Self.party.identity.sign(
      Array("latchkey pairing proof v1".utf8) + [asInviter ? 1 : 2] + (transport?.handshakeHash ?? []))
  }

  private func step(_ script: inout ByteScript) -> [UInt8] {
    switch script.choice(8) {
    case 0, 1: return proof
    case 2:
      return PairingCodec.encode(PairingStep.proof(signature: script.wholeBytes(64)))
    case 3: return PairingCodec.encode(PairingStep.commit(discoveryKey: script.wholeBytes(32)))
    case 4: return PairingCodec.encode(PairingStep.commitAcknowledged)
    case 5: return PairingCodec.encode(PairingStep.done)
    case 6:
      return PairingCodec.encode(
        PairingStep.abort(PairingOutcome.allCases[script.choice(PairingOutcome.allCases.count)]))
    default:
      // A reflection. The victim's own signature cannot be made, but one for the victim's role can.
      return PairingCodec.encode(PairingStep.proof(signature: signature(asInviter: !isInviter)))
    }
  }
}
