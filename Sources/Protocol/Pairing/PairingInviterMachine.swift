import LatchkeyCrypto
import LatchkeyModel
import LatchkeyWire

/// The inviter's side of one pairing attempt, driven by frames, the person and the store.
///
/// A pure value.
///
/// Spec: Protocol/03-pairing.md §4 to §7, with the state diagram in §9.
public struct PairingInviterMachine: Sendable {
  private enum State {
    case awaitingOffer(TypedCode)
    case awaitingOpening(NoiseHandshake)
    case awaitingIntroduction(NoiseHandshake, commitment: [UInt8])
    case awaitingProof(NoiseTransport, PairedPeer, digits: String)
    case awaitingAnswer(NoiseTransport, PairedPeer)
    case storing(NoiseTransport, PairedPeer)
    case awaitingAcknowledgement(NoiseTransport, PairedPeer)
    case promoting(NoiseTransport, PairedPeer)
    case ended
  }

  private let own: PairingParty
  private let joinerRole: DeviceRole
  private let entropy: PairingEntropy
  private let discoveryKey: [UInt8]
  private let asksPerson: Bool
  /// The secret of the pasted code, or the one that CPace derives from a typed code; empty until then.
  private var secret: SecretBytes
  private var state: State

  /// Begins an attempt after a connection's preamble has named an open code.
  ///
  /// - `code`: The code in the form that the preamble names.
  /// - `discoveryKey`: The household's discovery key, 32 bytes, which the joiner receives.
  /// - `asksPerson`: Whether the person decides. Otherwise, knowing the code is enough.
  public init(
    own: PairingParty, code: PairingCredential, joinerRole: DeviceRole, entropy: PairingEntropy,
    discoveryKey: [UInt8], asksPerson: Bool
  ) {
    precondition(discoveryKey.count == 32)
    self.own = own
    self.joinerRole = joinerRole
    self.entropy = entropy
    self.discoveryKey = discoveryKey
    self.asksPerson = asksPerson
    switch code {
    case .pasted(let code):
      secret = code.secret
      state = .awaitingOpening(
        PairingSecrets.handshake(
          .responder, own: own, ephemeralKey: entropy.ephemeralKey, secret: code.secret,
          prologue: PairingSecrets.prologue(
            .pairing(discriminator: code.discriminator), joinerRole: joinerRole)))
    case .typed(let code):
      secret = SecretBytes([])
      state = .awaitingOffer(code)
    }
  }

  /// A Boolean value that indicates whether the attempt has ended.
  public var isEnded: Bool { if case .ended = state { true } else { false } }

  /// A Boolean value that indicates whether the joiner has proved that it has the code.
  public var isProven: Bool {
    switch state {
    case .awaitingOffer, .awaitingOpening, .awaitingIntroduction: false
    default: true
    }
  }

  /// A Boolean value that indicates whether the attempt can no longer be cancelled, since the joiner may learn at any
  /// moment that it is complete.
  public var isPastReturn: Bool { if case .promoting = state { true } else { false } }

  /// Takes a frame from the joiner.
  ///
  /// Any content results in effects: the peer cannot cause an error here.
  public mutating func received(_ frame: [UInt8]) -> [PairingEffect] {
    do {
      return try advance(frame)
    } catch {
      return fail(error)
    }
  }

  /// Accepts the joiner for the person.
  public mutating func requestedAccept() -> [PairingEffect] {
    guard case .awaitingAnswer(let transport, let peer) = state else { return [] }
    state = .storing(transport, peer)
    return [.storePending(peer)]
  }

  /// Ends the attempt because the person refused, or the code was cancelled or expired.
  public mutating func requestedEnd(_ outcome: PairingOutcome) -> [PairingEffect] {
    switch state {
    case .awaitingOffer, .awaitingOpening, .awaitingIntroduction: return end(outcome)
    case .awaitingProof(let transport, _, _), .awaitingAnswer(let transport, _): return abort(transport, outcome)
    case .storing(let transport, let peer), .awaitingAcknowledgement(let transport, let peer):
      return [.discard(peer.keys.deviceID)] + abort(transport, outcome)
    // The other side has stored the pairing and has not been told to discard it. Both can agree only if it continues.
    case .promoting, .ended: return []
    }
  }

  /// Continues after the pending peer was stored.
  public mutating func stored() -> [PairingEffect] {
    guard case .storing(var transport, let peer) = state else { return [] }
    let frame = seal(.commit(discoveryKey: discoveryKey), &transport)
    state = .awaitingAcknowledgement(transport, peer)
    return [.send(frame)]
  }

  /// Completes the attempt after the peer became active and the code was used up, durably.
  public mutating func promoted() -> [PairingEffect] {
    guard case .promoting(var transport, _) = state else { return [] }
    let frame = seal(.done, &transport)
    state = .ended
    return [.send(frame), .finish(.ok)]
  }

  /// Handles the loss of the connection, or the other side's failure to answer in time.
  ///
  /// A pending peer is kept for `Limits.pairingCommitMilliseconds`. A session with it within that time completes the
  /// pairing.
  public mutating func connectionLost() -> [PairingEffect] {
    switch state {
    case .promoting, .ended: return []
    default: return end(.network)
    }
  }

  private mutating func advance(_ frame: [UInt8]) throws -> [PairingEffect] {
    switch state {
    case .awaitingOffer(let code): return try take(offer: frame, code)

    case .awaitingOpening(var handshake):
      let opening = try PairingCodec.opening(try handshake.readMessage(frame))
      let introduction = PairingIntroduction(
        identityKey: own.identity.publicKey.bytes, name: own.name.text, role: own.role, random: entropy.random)
      let answer = try handshake.writeMessage(payload: PairingCodec.encode(introduction))
      state = .awaitingIntroduction(handshake, commitment: opening.commitment)
      return [.send(answer)]

    case .awaitingIntroduction(var handshake, let commitment):
      let introduction = try PairingCodec.introduction(try handshake.readMessage(frame))
      guard let link = handshake.remoteStatic else { preconditionFailure("XX yields the remote static key") }
      let keys = DeviceKeys(identity: try IdentityPublicKey(bytes: introduction.identityKey), link: link)
      guard
        ConstantTime.areEqual(PairingSecrets.joinerCommitment(keys: keys, random: introduction.random), commitment)
      else { throw PairingFault.proof }
      let transport = try handshake.finish()
      guard introduction.versions.overlaps(Version.protocolRange) else { return abort(transport, .version) }
      // Both sides have stated the roles in the prologue. A different one now breaks the rules, and does not affect the
      // code.
      guard introduction.role == joinerRole else { return abort(transport, .refused, ending: .network) }
      let peer = PairedPeer(
        keys: keys, name: DeviceName(sanitising: introduction.name), role: introduction.role,
        pairwiseKey: PairingSecrets.pairwiseKey(
          handshakeHash: transport.handshakeHash, secret: secret, inviterRandom: entropy.random,
          joinerRandom: introduction.random))
      let digits = PairingSecrets.digits(
        inviter: own.keys, joiner: keys, inviterRandom: entropy.random, joinerRandom: introduction.random)
      state = .awaitingProof(transport, peer, digits: digits)
      return []

    case .awaitingProof(var transport, let peer, let digits):
      guard case .proof(let signature) = try PairingCodec.step(try transport.open(frame)),
        peer.keys.identity.verify(
          signature: signature, of: PairingSecrets.proof(isInviter: false, handshakeHash: transport.handshakeHash))
      else { throw PairingFault.proof }
      let proof = own.identity.sign(PairingSecrets.proof(isInviter: true, handshakeHash: transport.handshakeHash))
      let answer = seal(.proof(signature: proof), &transport)
      state = .awaitingAnswer(transport, peer)
      var effects: [PairingEffect] = [.send(answer), .ask(PairingQuestion(peer, digits: digits))]
      if !asksPerson { effects += requestedAccept() }
      return effects

    case .awaitingAnswer(var transport, _):
      return end(try abortOutcome(frame, &transport))

    case .storing(var transport, let peer):
      return [.discard(peer.keys.deviceID)] + end(try abortOutcome(frame, &transport))

    case .awaitingAcknowledgement(var transport, let peer):
      switch try PairingCodec.step(try transport.open(frame)) {
      case .commitAcknowledged:
        state = .promoting(transport, peer)
        return [.promote(peer)]
      case .abort(let outcome): return [.discard(peer.keys.deviceID)] + end(outcome == .ok ? .refused : outcome)
      case .proof, .commit, .done: throw PairingFault.outOfTurn
      }

    case .promoting, .ended: return []
    }
  }

  /// Answers the joiner's half of CPace.
  ///
  /// The next frame shows whether its guess was right.
  private mutating func take(offer frame: [UInt8], _ code: TypedCode) throws -> [PairingEffect] {
    guard let offer = CPaceOffer(frame: frame) else { throw PairingFault.proof }
    guard offer.versions.range.overlaps(Version.protocolRange) else {
      return [.send(PairingNotice.version.frame)] + end(.version)
    }
    let preamble = Preamble.typedPairing(discriminator: code.discriminator)
    let versions = VersionRange(Version.protocolRange)
    let agreement = try CPace(
      role: .responder, password: code.secret,
      channelIdentifier: PairingSecrets.channelIdentifier(preamble, joinerRole: joinerRole),
      sessionID: offer.sessionID, associatedData: versions.bytes, scalar: entropy.scalar)
    let key = try agreement.finish(remoteShare: offer.share, remoteAssociatedData: offer.versions.bytes)
    let answer = CPaceAnswer(share: agreement.share, versions: versions)
    secret = key.intermediateSessionKey
    state = .awaitingOpening(
      PairingSecrets.handshake(
        .responder, own: own, ephemeralKey: entropy.ephemeralKey, secret: secret,
        prologue: PairingSecrets.prologue(preamble, joinerRole: joinerRole, exchange: offer.frame + answer.frame)))
    return [.send(answer.frame)]
  }

  private mutating func abortOutcome(_ frame: [UInt8], _ transport: inout NoiseTransport) throws -> PairingOutcome {
    guard case .abort(let outcome) = try PairingCodec.step(try transport.open(frame)) else {
      throw PairingFault.outOfTurn
    }
    return outcome == .ok ? .refused : outcome
  }

  private mutating func fail(_ error: any Error) -> [PairingEffect] {
    let before = state
    state = .ended
    switch before {
    // Before the third message is verified, any fault is a wrong guess at the code.
    case .awaitingOffer, .awaitingOpening, .awaitingIntroduction:
      return [.countFailure, .send(PairingNotice.wrongCode.frame), .finish(.wrongCode)]
    // The verified message has proved that the code was right, so later faults are not guesses.
    case .awaitingProof, .awaitingAnswer: return [.finish(.network)]
    case .storing(_, let peer), .awaitingAcknowledgement(_, let peer):
      return [.discard(peer.keys.deviceID), .finish(.network)]
    case .promoting, .ended: return []
    }
  }

  /// Tells the joiner the outcome.
  ///
  /// `own` is the outcome here; `nil` if it is the same.
  private mutating func abort(
    _ transport: NoiseTransport, _ outcome: PairingOutcome, ending own: PairingOutcome? = nil
  ) -> [PairingEffect] {
    var transport = transport
    let frame = seal(.abort(outcome), &transport)
    return [.send(frame)] + end(own ?? outcome)
  }

  private mutating func end(_ outcome: PairingOutcome) -> [PairingEffect] {
    state = .ended
    return [.finish(outcome)]
  }
}
