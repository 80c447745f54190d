import LatchkeyModel

/// The messages until the third is verified, in which the two sides differ, and the channel that
/// they lead to. Spec: Protocol/03-pairing.md §4.
extension PairingAttempt {
  /// The part of an attempt that only an inviter has.
  struct Inviter: Sendable {
    let joinerRole: DeviceRole
    let discoveryKey: [UInt8]
  }

  /// The frame that comes next: two of the inviter's before its last, and two of the joiner's.
  enum Meeting {
    case offer(TypedCode)
    case opening(NoiseHandshake)
    case introductionOfJoiner(NoiseHandshake, commitment: [UInt8])
    case answerToOffer(CPace, CPaceOffer)
    case introductionOfInviter(NoiseHandshake)
  }

  private var joinerRole: DeviceRole { inviter?.joinerRole ?? own.role }

  /// Waits for the joiner's first frame.
  mutating func listen() {
    switch code {
    case .pasted(let code):
      secret = code.secret
      state = .meeting(.opening(handshake()))
    case .typed(let code): state = .meeting(.offer(code))
    }
  }

  /// Returns the joiner's first frame.
  mutating func open() -> [UInt8] {
    switch code {
    case .pasted(let code):
      secret = code.secret
      return sendCommitment()
    case .typed(let code):
      do {
        let agreement = try self.agreement(.initiator, code, sessionID: entropy.sessionID)
        let offer = CPaceOffer(sessionID: entropy.sessionID, share: agreement.share, versions: Self.versions)
        state = .meeting(.answerToOffer(agreement, offer))
        return offer.frame
      } catch { preconditionFailure("a scalar that was drawn at random is not zero: \(error)") }
    }
  }

  mutating func advance(_ meeting: Meeting, _ frame: [UInt8]) throws -> [PairingEffect] {
    if inviter == nil, let notice = PairingNotice(frame: frame) { return end(notice.outcome) }
    switch meeting {
    case .offer(let code): return try take(offer: frame, code)
    case .answerToOffer(let agreement, let offer): return try take(answer: frame, agreement, offer)
    case .opening(var handshake):
      let opening = try PairingCodec.opening(try handshake.readMessage(frame))
      let answer = try handshake.writeMessage(payload: introduction)
      state = .meeting(.introductionOfJoiner(handshake, commitment: opening.commitment))
      return [.send(answer)]
    case .introductionOfJoiner(let handshake, let commitment): return try meetJoiner(frame, handshake, commitment)
    case .introductionOfInviter(let handshake): return try meetInviter(frame, handshake)
    }
  }

  /// Answers the joiner's half of CPace; the next frame shows whether its guess was right.
  private mutating func take(offer frame: [UInt8], _ code: TypedCode) throws -> [PairingEffect] {
    guard let offer = CPaceOffer(frame: frame) else { throw PairingFault.proof }
    guard offer.versions.range.overlaps(Version.protocolRange)
    else { return [.send(PairingNotice.version.frame)] + end(.version) }
    let agreement = try self.agreement(.responder, code, sessionID: offer.sessionID)
    let key = try agreement.finish(remoteShare: offer.share, remoteAssociatedData: offer.versions.bytes)
    let answer = CPaceAnswer(share: agreement.share, versions: Self.versions)
    secret = key.intermediateSessionKey
    state = .meeting(.opening(handshake(after: offer.frame + answer.frame)))
    return [.send(answer.frame)]
  }

  /// Derives the strong key.
  ///
  /// From here on, the machine that answered can find out whether its own guess was right.
  private mutating func take(answer frame: [UInt8], _ agreement: CPace, _ offer: CPaceOffer) throws -> [PairingEffect] {
    guard let answer = CPaceAnswer(frame: frame) else { throw PairingFault.proof }
    guard answer.versions.range.overlaps(Version.protocolRange) else { return end(.version) }
    let key = try agreement.finish(remoteShare: answer.share, remoteAssociatedData: answer.versions.bytes)
    secret = key.intermediateSessionKey
    return [.countRun, .send(sendCommitment(after: offer.frame + answer.frame))]
  }

  /// Verifies the third message: from here on, the joiner has the code.
  private mutating func meetJoiner(
    _ frame: [UInt8], _ handshake: NoiseHandshake, _ commitment: [UInt8]
  ) throws -> [PairingEffect] {
    var handshake = handshake
    let (joiner, keys) = try Self.read(frame, &handshake)
    guard ConstantTime.areEqual(PairingSecrets.joinerCommitment(keys: keys, random: joiner.random), commitment)
    else { throw PairingFault.proof }
    let (peer, digits) = met(joiner, keys, try handshake.finish())
    guard joiner.versions.overlaps(Version.protocolRange) else { return abort(peer, .version) }
    // The prologue states the roles: another one now breaks the rules, and spares the code.
    guard joiner.role == joinerRole else { return abort(peer, .refused, ending: .network) }
    state = .awaitingProof(peer, digits: digits)
    return []
  }

  /// Verifies the second message, and sends the third with the proof.
  private mutating func meetInviter(_ frame: [UInt8], _ handshake: NoiseHandshake) throws -> [PairingEffect] {
    var handshake = handshake
    let (inviter, keys) = try Self.read(frame, &handshake)
    // Verify that this is the machine that showed the code before sending it more than a hash.
    if case .pasted(let code) = code, !ConstantTime.areEqual(keys.codeCommitment, code.commitment) {
      throw PairingFault.proof
    }
    hasMetInviter = true
    let credit: [PairingEffect] = if case .typed = code { [.creditRun] } else { [] }
    guard inviter.versions.overlaps(Version.protocolRange) else { return credit + end(.version) }
    guard inviter.role == .parent else { return credit + end(.refused) }
    let answer = try handshake.writeMessage(payload: introduction)
    let (device, digits) = met(inviter, keys, try handshake.finish())
    var peer = device
    let proof = peer.seal(peer.proof(by: own, isInviter: false))
    state = .awaitingProof(peer, digits: digits)
    // The subtraction concerns later attempts only, so the other machine need not wait for it.
    return [.send(answer), .send(proof)] + credit
  }

  private static var versions: VersionRange { VersionRange(Version.protocolRange) }

  private func agreement(_ role: CPaceRole, _ code: TypedCode, sessionID: [UInt8]) throws -> CPace {
    try CPace(
      role: role, password: code.secret,
      channelIdentifier: PairingSecrets.channelIdentifier(self.code.preamble, joinerRole: joinerRole),
      sessionID: sessionID, associatedData: Self.versions.bytes, scalar: entropy.scalar)
  }

  /// Returns the handshake, ready for the first message; `exchange` holds the frames of CPace.
  private func handshake(after exchange: [UInt8] = []) -> NoiseHandshake {
    PairingSecrets.handshake(
      inviter == nil ? .initiator : .responder, own: own, ephemeralKey: entropy.ephemeralKey, secret: secret,
      prologue: PairingSecrets.prologue(code.preamble, joinerRole: joinerRole, exchange: exchange))
  }

  /// Returns the joiner's first message of the handshake.
  private mutating func sendCommitment(after exchange: [UInt8] = []) -> [UInt8] {
    var handshake = handshake(after: exchange)
    let commitment = PairingSecrets.joinerCommitment(keys: own.keys, random: entropy.random)
    do {
      let message = try handshake.writeMessage(payload: PairingCodec.encode(PairingOpening(commitment: commitment)))
      state = .meeting(.introductionOfInviter(handshake))
      return message
    } catch { preconditionFailure("the pattern's keys are all given: \(error)") }
  }

  private var introduction: [UInt8] {
    PairingCodec.encode(
      PairingIntroduction(
        identityKey: own.identity.publicKey.bytes, name: own.name.text, role: own.role, random: entropy.random))
  }

  private static func read(
    _ frame: [UInt8], _ handshake: inout NoiseHandshake
  ) throws -> (PairingIntroduction, DeviceKeys) {
    let introduction = try PairingCodec.introduction(try handshake.readMessage(frame))
    guard let link = handshake.remoteStatic else { preconditionFailure("XX yields the remote static key") }
    return (introduction, DeviceKeys(identity: try IdentityPublicKey(bytes: introduction.identityKey), link: link))
  }

  /// Returns the other device, with the pairwise key and the digits.
  private func met(
    _ introduction: PairingIntroduction, _ keys: DeviceKeys, _ transport: NoiseTransport
  ) -> (Peer, digits: String) {
    let (here, there) = ((keys: own.keys, random: entropy.random), (keys: keys, random: introduction.random))
    let (inviter, joiner) = inviter == nil ? (there, here) : (here, there)
    let device = PairedPeer(
      keys: keys, name: DeviceName(sanitising: introduction.name), role: introduction.role,
      pairwiseKey: PairingSecrets.pairwiseKey(
        handshakeHash: transport.handshakeHash, secret: secret, inviterRandom: inviter.random,
        joinerRandom: joiner.random))
    let digits = PairingSecrets.digits(
      inviter: inviter.keys, joiner: joiner.keys, inviterRandom: inviter.random, joinerRandom: joiner.random)
    return (Peer(device: device, transport: transport), digits)
  }

  /// The other device, with the channel to it.
  struct Peer: Sendable {
    var device: PairedPeer
    var transport: NoiseTransport

    var discard: PairingEffect { .discard(device.keys.deviceID) }

    mutating func seal(_ step: PairingStep) -> [UInt8] {
      do {
        return try transport.seal(PairingCodec.encode(step))
      } catch { preconditionFailure("a handful of short messages neither exceeds a frame nor uses up a key: \(error)") }
    }

    /// Returns the step that a frame contains; an abort never has the outcome `ok`.
    mutating func open(_ frame: [UInt8]) throws -> PairingStep {
      let step = try PairingCodec.step(try transport.open(frame))
      return if case .abort(.ok) = step { .abort(.refused) } else { step }
    }

    mutating func openAbort(_ frame: [UInt8]) throws -> PairingOutcome {
      guard case .abort(let outcome) = try open(frame) else { throw PairingFault.outOfTurn }
      return outcome
    }

    func proof(by own: PairingParty, isInviter: Bool) -> PairingStep {
      .proof(
        signature: own.identity.sign(
          PairingSecrets.proof(isInviter: isInviter, handshakeHash: transport.handshakeHash)))
    }

    func hasSigned(_ signature: [UInt8], asInviter: Bool) -> Bool {
      device.keys.identity.verify(
        signature: signature, of: PairingSecrets.proof(isInviter: asInviter, handshakeHash: transport.handshakeHash))
    }
  }
}
