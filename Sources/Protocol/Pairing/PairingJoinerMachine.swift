import LatchkeyCrypto
import LatchkeyModel
import LatchkeyWire

/// The joiner's side of one pairing attempt: pure values, driven by frames, the person and the store.
///
/// Spec: Protocol/03-pairing.md §4 to §7, with the state diagram in §9.
public struct PairingJoinerMachine: Sendable {
  private enum State {
    case awaitingIntroduction(NoiseHandshake)
    case awaitingProof(NoiseTransport, PairedPeer, digits: String)
    case awaitingCommit(NoiseTransport, PairedPeer, accepted: Bool)
    case awaitingAnswer(NoiseTransport, PairedPeer)
    case storing(NoiseTransport, PairedPeer)
    case awaitingDone(NoiseTransport, PairedPeer)
    case promoting(PairedPeer)
    case ended
  }

  private let own: PairingParty
  private let code: PairingCode
  private let random: [UInt8]
  private let asksPerson: Bool
  private var state: State
  /// The preamble and the first frame to send.
  public let opening: (preamble: Preamble, frame: [UInt8])

  /// Begin an attempt.
  ///
  /// - Parameters:
  ///   - random: 32 fresh random bytes.
  ///   - ephemeralKey: a key pair for this attempt alone.
  ///   - asksPerson: whether the person here decides too; otherwise having entered the code is enough.
  public init(own: PairingParty, code: PairingCode, random: [UInt8], ephemeralKey: LinkKeyPair, asksPerson: Bool) {
    precondition(random.count == 32)
    self.own = own
    self.code = code
    self.random = random
    self.asksPerson = asksPerson
    do {
      var handshake = try NoiseHandshake(
        pattern: .xxPSK0PSK3, role: .initiator,
        prologue: PairingSecrets.prologue(discriminator: code.discriminator, joinerRole: own.role),
        staticKey: own.link, ephemeralKey: ephemeralKey, remoteStatic: nil,
        presharedKeys: Array(repeating: PairingSecrets.handshakeKey(secret: code.secret), count: 2))
      let commitment = PairingSecrets.joinerCommitment(keys: own.keys, random: random)
      let frame = try handshake.writeMessage(payload: PairingCodec.encode(PairingOpening(commitment: commitment)))
      opening = (.pairing(discriminator: code.discriminator), frame)
      state = .awaitingIntroduction(handshake)
    } catch { preconditionFailure("the pattern's keys are all given: \(error)") }
  }

  /// Whether the attempt is over.
  public var isEnded: Bool { if case .ended = state { true } else { false } }

  /// Whether anything was received that only the inviter of this code can have sent; it stays so when the attempt is over.
  public private(set) var hasMetInviter = false

  /// Take a frame from the inviter. Whatever it holds, the answer is effects: the peer cannot cause an error here.
  public mutating func received(_ frame: [UInt8]) -> [PairingEffect] {
    do {
      return try advance(frame)
    } catch {
      return fail()
    }
  }

  /// The person here said yes.
  public mutating func requestedAccept() -> [PairingEffect] {
    switch state {
    case .awaitingCommit(let transport, let peer, accepted: false):
      state = .awaitingCommit(transport, peer, accepted: true)
      return []
    case .awaitingAnswer(let transport, let peer):
      state = .storing(transport, peer)
      return [.storePending(peer)]
    default: return []
    }
  }

  /// The person here said no, or broke off.
  public mutating func requestedEnd(_ outcome: PairingOutcome) -> [PairingEffect] {
    switch state {
    case .awaitingIntroduction: return end(outcome)
    case .awaitingProof(let transport, _, _), .awaitingCommit(let transport, _, _), .awaitingAnswer(let transport, _):
      return abort(transport, outcome)
    case .storing(let transport, let peer): return [.discard(peer.keys.deviceID)] + abort(transport, outcome)
    // The inviter may have made it final already: going on is the only way both agree.
    case .awaitingDone, .promoting, .ended: return []
    }
  }

  /// The pending peer is durable.
  public mutating func stored() -> [PairingEffect] {
    guard case .storing(var transport, let peer) = state else { return [] }
    let frame = seal(.commitAcknowledged, &transport)
    state = .awaitingDone(transport, peer)
    return [.send(frame)]
  }

  /// The peer is active, durably.
  public mutating func promoted() -> [PairingEffect] {
    guard case .promoting = state else { return [] }
    return end(.ok)
  }

  /// The connection is gone or the other side took too long.
  ///
  /// A pending peer stays for `Limits.pairingCommitMilliseconds`: a session with it within that time completes the pairing.
  public mutating func connectionLost() -> [PairingEffect] {
    switch state {
    case .promoting, .ended: return []
    // Silence before the first answer: no code of this discriminator is open there.
    case .awaitingIntroduction: return end(.expired)
    default: return end(.network)
    }
  }

  private mutating func advance(_ frame: [UInt8]) throws -> [PairingEffect] {
    switch state {
    case .awaitingIntroduction(var handshake):
      if let notice = PairingNotice(frame: frame) { return end(notice.outcome) }
      let introduction = try PairingCodec.introduction(try handshake.readMessage(frame))
      guard let link = handshake.remoteStatic else { preconditionFailure("XX yields the remote static key") }
      let keys = DeviceKeys(identity: try IdentityPublicKey(bytes: introduction.identityKey), link: link)
      // Before anything of ours but a hash is told: is it the machine that showed the code?
      guard ConstantTime.areEqual(keys.codeCommitment, code.commitment) else { throw PairingFault.proof }
      hasMetInviter = true
      guard introduction.versions.overlaps(Version.protocolRange) else { return end(.version) }
      guard introduction.role == .parent else { return end(.refused) }
      let mine = PairingIntroduction(
        identityKey: own.identity.publicKey.bytes, name: own.name.text, role: own.role, random: random)
      let answer = try handshake.writeMessage(payload: PairingCodec.encode(mine))
      var transport = try handshake.finish()
      let proof = own.identity.sign(PairingSecrets.proof(isInviter: false, handshakeHash: transport.handshakeHash))
      let proofFrame = seal(.proof(signature: proof), &transport)
      let peer = PairedPeer(
        keys: keys, name: DeviceName(sanitising: introduction.name), role: introduction.role,
        pairwiseKey: PairingSecrets.pairwiseKey(
          handshakeHash: transport.handshakeHash, secret: code.secret, inviterRandom: introduction.random,
          joinerRandom: random))
      let digits = PairingSecrets.digits(
        inviter: keys, joiner: own.keys, inviterRandom: introduction.random, joinerRandom: random)
      state = .awaitingProof(transport, peer, digits: digits)
      return [.send(answer), .send(proofFrame)]

    case .awaitingProof(var transport, let peer, let digits):
      // It did not take our third message, and so has no key to say it with.
      if let notice = PairingNotice(frame: frame) { return end(notice.outcome) }
      switch try PairingCodec.step(try transport.open(frame)) {
      case .proof(let signature):
        guard
          peer.keys.identity.verify(
            signature: signature, of: PairingSecrets.proof(isInviter: true, handshakeHash: transport.handshakeHash))
        else { throw PairingFault.proof }
        state = .awaitingCommit(transport, peer, accepted: !asksPerson)
        return [.ask(name: peer.name, role: peer.role, digits: digits)]
      case .abort(let outcome): return end(outcome == .ok ? .refused : outcome)
      case .commit, .commitAcknowledged, .done: throw PairingFault.outOfTurn
      }

    case .awaitingCommit(var transport, var peer, let accepted):
      switch try PairingCodec.step(try transport.open(frame)) {
      case .commit(let discoveryKey):
        peer.discoveryKey = discoveryKey
        guard accepted else {
          state = .awaitingAnswer(transport, peer)
          return []
        }
        state = .storing(transport, peer)
        return [.storePending(peer)]
      case .abort(let outcome): return end(outcome == .ok ? .refused : outcome)
      case .proof, .commitAcknowledged, .done: throw PairingFault.outOfTurn
      }

    case .awaitingAnswer(var transport, _):
      return end(try abortOutcome(frame, &transport))

    case .storing(var transport, let peer):
      return [.discard(peer.keys.deviceID)] + end(try abortOutcome(frame, &transport))

    case .awaitingDone(var transport, let peer):
      switch try PairingCodec.step(try transport.open(frame)) {
      case .done:
        state = .promoting(peer)
        return [.promote(peer)]
      case .abort(let outcome): return [.discard(peer.keys.deviceID)] + end(outcome == .ok ? .refused : outcome)
      case .proof, .commit, .commitAcknowledged: throw PairingFault.outOfTurn
      }

    case .promoting, .ended: return []
    }
  }

  private func abortOutcome(_ frame: [UInt8], _ transport: inout NoiseTransport) throws -> PairingOutcome {
    guard case .abort(let outcome) = try PairingCodec.step(try transport.open(frame)) else {
      throw PairingFault.outOfTurn
    }
    return outcome == .ok ? .refused : outcome
  }

  private mutating func fail() -> [PairingEffect] {
    let before = state
    state = .ended
    switch before {
    case .awaitingIntroduction: return [.finish(.wrongCode)]
    case .storing(_, let peer): return [.discard(peer.keys.deviceID), .finish(.network)]
    // What was acknowledged stays pending: the inviter may have made it final.
    case .awaitingProof, .awaitingCommit, .awaitingAnswer, .awaitingDone: return [.finish(.network)]
    case .promoting, .ended: return []
    }
  }

  private mutating func abort(_ transport: NoiseTransport, _ outcome: PairingOutcome) -> [PairingEffect] {
    var transport = transport
    let frame = seal(.abort(outcome), &transport)
    return [.send(frame)] + end(outcome)
  }

  private mutating func end(_ outcome: PairingOutcome) -> [PairingEffect] {
    state = .ended
    return [.finish(outcome)]
  }
}
