import LatchkeyCrypto
import LatchkeyModel
import LatchkeyWire

/// The joiner's side of one pairing attempt, driven by frames, the person and the store.
///
/// A pure value.
///
/// Spec: Protocol/03-pairing.md §4 to §7, with the state diagram in §9.
public struct PairingJoinerMachine: Sendable {
  private enum State {
    case awaitingAnswerToOffer(CPace, CPaceOffer)
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
  private let code: PairingCredential
  private let entropy: PairingEntropy
  private let asksPerson: Bool
  /// The secret of the pasted code, or the one that CPace derives from a typed code; empty until then.
  private var secret: SecretBytes
  private var state: State
  /// The preamble and the first frame to send.
  public let opening: (preamble: Preamble, frame: [UInt8])

  /// Begins an attempt.
  ///
  /// `asksPerson` indicates whether the person here has to accept as well. Otherwise, entering the code is enough.
  public init(own: PairingParty, code: PairingCredential, entropy: PairingEntropy, asksPerson: Bool) {
    self.own = own
    self.code = code
    self.entropy = entropy
    self.asksPerson = asksPerson
    switch code {
    case .pasted(let pasted):
      secret = pasted.secret
      var handshake = PairingSecrets.handshake(
        .initiator, own: own, ephemeralKey: entropy.ephemeralKey, secret: secret,
        prologue: PairingSecrets.prologue(code.preamble, joinerRole: own.role))
      opening = (code.preamble, Self.firstMessage(&handshake, own: own, random: entropy.random))
      state = .awaitingIntroduction(handshake)
    case .typed(let typed):
      secret = SecretBytes([])
      let versions = VersionRange(Version.protocolRange)
      do {
        let agreement = try CPace(
          role: .initiator, password: typed.secret,
          channelIdentifier: PairingSecrets.channelIdentifier(code.preamble, joinerRole: own.role),
          sessionID: entropy.sessionID, associatedData: versions.bytes, scalar: entropy.scalar)
        let offer = CPaceOffer(sessionID: entropy.sessionID, share: agreement.share, versions: versions)
        opening = (code.preamble, offer.frame)
        state = .awaitingAnswerToOffer(agreement, offer)
      } catch { preconditionFailure("a scalar that was drawn at random is not zero: \(error)") }
    }
  }

  private static func firstMessage(
    _ handshake: inout NoiseHandshake, own: PairingParty, random: [UInt8]
  ) -> [UInt8] {
    let commitment = PairingSecrets.joinerCommitment(keys: own.keys, random: random)
    do {
      return try handshake.writeMessage(payload: PairingCodec.encode(PairingOpening(commitment: commitment)))
    } catch { preconditionFailure("the pattern's keys are all given: \(error)") }
  }

  /// A Boolean value that indicates whether the attempt has ended.
  public var isEnded: Bool { if case .ended = state { true } else { false } }

  /// A Boolean value that indicates whether anything was received that only the inviter of this code can have sent.
  ///
  /// It keeps its value after the attempt.
  public private(set) var hasMetInviter = false

  /// A Boolean value that indicates whether the attempt can no longer be cancelled, since the inviter may have
  /// completed it.
  public var isPastReturn: Bool {
    switch state {
    case .awaitingDone, .promoting: true
    default: false
    }
  }

  /// Takes a frame from the inviter.
  ///
  /// Any content results in effects: the peer cannot cause an error here.
  public mutating func received(_ frame: [UInt8]) -> [PairingEffect] {
    do {
      return try advance(frame)
    } catch {
      return fail()
    }
  }

  /// Accepts the inviter for the person here.
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

  /// Ends the attempt because the person here refused or cancelled.
  public mutating func requestedEnd(_ outcome: PairingOutcome) -> [PairingEffect] {
    switch state {
    case .awaitingAnswerToOffer, .awaitingIntroduction: return end(outcome)
    case .awaitingProof(let transport, _, _), .awaitingCommit(let transport, _, _), .awaitingAnswer(let transport, _):
      return abort(transport, outcome)
    case .storing(let transport, let peer): return [.discard(peer.keys.deviceID)] + abort(transport, outcome)
    // The inviter may have completed the pairing. Both can agree only if it continues.
    case .awaitingDone, .promoting, .ended: return []
    }
  }

  /// Continues after the pending peer was stored.
  public mutating func stored() -> [PairingEffect] {
    guard case .storing(var transport, let peer) = state else { return [] }
    let frame = seal(.commitAcknowledged, &transport)
    state = .awaitingDone(transport, peer)
    return [.send(frame)]
  }

  /// Completes the attempt after the peer became active, durably.
  public mutating func promoted() -> [PairingEffect] {
    guard case .promoting = state else { return [] }
    return end(.ok)
  }

  /// Handles the loss of the connection, or the other side's failure to answer in time.
  ///
  /// A pending peer is kept for `Limits.pairingCommitMilliseconds`. A session with it within that time completes the
  /// pairing.
  public mutating func connectionLost() -> [PairingEffect] {
    switch state {
    case .promoting, .ended: return []
    // Silence before the first answer means that no code with this discriminator is open there.
    case .awaitingAnswerToOffer, .awaitingIntroduction: return end(.expired)
    default: return end(.network)
    }
  }

  private mutating func advance(_ frame: [UInt8]) throws -> [PairingEffect] {
    switch state {
    case .awaitingAnswerToOffer(let agreement, let offer): return try take(answer: frame, agreement, offer)

    case .awaitingIntroduction(var handshake):
      if let notice = PairingNotice(frame: frame) { return end(notice.outcome) }
      let introduction = try PairingCodec.introduction(try handshake.readMessage(frame))
      guard let link = handshake.remoteStatic else { preconditionFailure("XX yields the remote static key") }
      let keys = DeviceKeys(identity: try IdentityPublicKey(bytes: introduction.identityKey), link: link)
      // Verify that this is the machine that showed the code before sending it more than a hash.
      if case .pasted(let code) = code, !ConstantTime.areEqual(keys.codeCommitment, code.commitment) {
        throw PairingFault.proof
      }
      hasMetInviter = true
      var effects: [PairingEffect] = []
      if case .typed = code { effects.append(.creditRun) }
      guard introduction.versions.overlaps(Version.protocolRange) else { return effects + end(.version) }
      guard introduction.role == .parent else { return effects + end(.refused) }
      let mine = PairingIntroduction(
        identityKey: own.identity.publicKey.bytes, name: own.name.text, role: own.role, random: entropy.random)
      let answer = try handshake.writeMessage(payload: PairingCodec.encode(mine))
      var transport = try handshake.finish()
      let proof = own.identity.sign(PairingSecrets.proof(isInviter: false, handshakeHash: transport.handshakeHash))
      let proofFrame = seal(.proof(signature: proof), &transport)
      let peer = PairedPeer(
        keys: keys, name: DeviceName(sanitising: introduction.name), role: introduction.role,
        pairwiseKey: PairingSecrets.pairwiseKey(
          handshakeHash: transport.handshakeHash, secret: secret, inviterRandom: introduction.random,
          joinerRandom: entropy.random))
      let digits = PairingSecrets.digits(
        inviter: keys, joiner: own.keys, inviterRandom: introduction.random, joinerRandom: entropy.random)
      state = .awaitingProof(transport, peer, digits: digits)
      // The subtraction concerns later attempts only, so the other machine need not wait for it.
      return [.send(answer), .send(proofFrame)] + effects

    case .awaitingProof(var transport, let peer, let digits):
      // The inviter rejected our third message, and so has no key to encrypt this notice.
      if let notice = PairingNotice(frame: frame) { return end(notice.outcome) }
      switch try PairingCodec.step(try transport.open(frame)) {
      case .proof(let signature):
        guard
          peer.keys.identity.verify(
            signature: signature, of: PairingSecrets.proof(isInviter: true, handshakeHash: transport.handshakeHash))
        else { throw PairingFault.proof }
        state = .awaitingCommit(transport, peer, accepted: !asksPerson)
        return [.ask(PairingQuestion(peer, digits: digits))]
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

  /// Derives the strong key.
  ///
  /// From here on, the machine that answered can find out whether its own guess was right.
  private mutating func take(answer frame: [UInt8], _ agreement: CPace, _ offer: CPaceOffer) throws -> [PairingEffect] {
    if let notice = PairingNotice(frame: frame) { return end(notice.outcome) }
    guard let answer = CPaceAnswer(frame: frame) else { throw PairingFault.proof }
    guard answer.versions.range.overlaps(Version.protocolRange) else { return end(.version) }
    let key = try agreement.finish(remoteShare: answer.share, remoteAssociatedData: answer.versions.bytes)
    secret = key.intermediateSessionKey
    var handshake = PairingSecrets.handshake(
      .initiator, own: own, ephemeralKey: entropy.ephemeralKey, secret: secret,
      prologue: PairingSecrets.prologue(code.preamble, joinerRole: own.role, exchange: offer.frame + answer.frame))
    let message = Self.firstMessage(&handshake, own: own, random: entropy.random)
    state = .awaitingIntroduction(handshake)
    return [.countRun, .send(message)]
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
    case .awaitingAnswerToOffer, .awaitingIntroduction: return [.finish(.wrongCode)]
    case .storing(_, let peer): return [.discard(peer.keys.deviceID), .finish(.network)]
    // A pairing that was acknowledged stays pending, since the inviter may have completed it.
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
