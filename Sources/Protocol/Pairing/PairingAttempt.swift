import LatchkeyModel

/// One attempt to use a code, as the inviter or the joiner sees it, driven by frames, the person
/// and the store.
///
/// A pure value. Spec: Protocol/03-pairing.md §4 to §7, with the state diagrams in §9.
public struct PairingAttempt: Sendable {
  enum State {
    /// The handshake, in which the two sides have nothing in common.
    case meeting(Meeting)
    case awaitingProof(Peer, digits: String)
    /// On the joiner: the inviter's person is being asked, and the person here may be.
    case awaitingCommit(Peer, accepted: Bool)
    case awaitingAnswer(Peer)
    case storing(Peer)
    /// The last message of the other side: `CommitAcknowledged` on the inviter, `Done` on the
    /// joiner.
    case awaitingLastWord(Peer)
    case promoting(Peer)
    case ended
  }

  let own: PairingParty
  let code: PairingCredential
  let entropy: PairingEntropy
  /// The inviter's part; `nil` on the joiner.
  let inviter: Inviter?
  private let asksPerson: Bool
  /// The secret of the pasted code, or the one that CPace derives from a typed code; empty until
  /// then.
  var secret = SecretBytes([])
  var state: State
  /// The first frame to send; empty on the inviter.
  public private(set) var opening: [UInt8] = []

  /// A Boolean value that indicates whether anything was received that only the inviter of this
  /// code can have sent; it keeps its value after the attempt.
  public internal(set) var hasMetInviter = false

  /// Begins an attempt of the inviter after a connection's preamble has named an open code.
  ///
  /// The code is in the form that the preamble names. The joiner receives the household's discovery
  /// key, 32 bytes. Unless the person is asked, knowing the code is enough.
  public init(
    inviter own: PairingParty, code: PairingCredential, joinerRole: DeviceRole, entropy: PairingEntropy,
    discoveryKey: [UInt8], asksPerson: Bool
  ) {
    precondition(discoveryKey.count == 32)
    (self.own, self.code, self.entropy, self.asksPerson) = (own, code, entropy, asksPerson)
    inviter = Inviter(joinerRole: joinerRole, discoveryKey: discoveryKey)
    state = .ended
    listen()
  }

  /// Begins an attempt of the joiner; unless the person here is asked as well, entering the code is
  /// enough.
  public init(joiner own: PairingParty, code: PairingCredential, entropy: PairingEntropy, asksPerson: Bool) {
    (self.own, self.code, self.entropy, self.asksPerson) = (own, code, entropy, asksPerson)
    inviter = nil
    state = .ended
    opening = open()
  }

  public var isEnded: Bool { if case .ended = state { true } else { false } }

  /// A Boolean value that indicates whether the other side has proved that it has the code.
  public var isProven: Bool { if case .meeting = state { false } else { true } }

  /// A Boolean value that indicates whether the attempt can no longer be cancelled.
  ///
  /// The other side may then have completed it, or may learn at any moment that it is complete.
  public var isPastReturn: Bool {
    switch state {
    case .promoting: true
    case .awaitingLastWord: inviter == nil
    default: false
    }
  }

  /// Takes a frame from the other side; any content results in effects: the peer cannot cause an
  /// error here.
  public mutating func received(_ frame: [UInt8]) -> [PairingEffect] {
    do { return try advance(frame) } catch { return fail() }
  }

  /// Accepts the other machine for the person here.
  public mutating func requestedAccept() -> [PairingEffect] {
    switch state {
    case .awaitingCommit(let peer, accepted: false):
      state = .awaitingCommit(peer, accepted: true)
      return []
    case .awaitingAnswer(let peer): return store(peer)
    default: return []
    }
  }

  /// Ends the attempt because the person here refused or cancelled, or the code was cancelled or
  /// expired.
  public mutating func requestedEnd(_ outcome: PairingOutcome) -> [PairingEffect] {
    switch state {
    case .meeting: end(outcome)
    case .awaitingProof(let peer, _), .awaitingCommit(let peer, _), .awaitingAnswer(let peer): abort(peer, outcome)
    case .storing(let peer): [peer.discard] + abort(peer, outcome)
    case .awaitingLastWord(let peer) where inviter != nil: [peer.discard] + abort(peer, outcome)
    // The other side may have completed the pairing. Both can agree only if it continues.
    case .awaitingLastWord, .promoting, .ended: []
    }
  }

  /// Continues after the pending peer was stored.
  public mutating func stored() -> [PairingEffect] {
    guard case .storing(var peer) = state else { return [] }
    let frame = peer.seal(inviter.map { .commit(discoveryKey: $0.discoveryKey) } ?? .commitAcknowledged)
    state = .awaitingLastWord(peer)
    return [.send(frame)]
  }

  /// Completes the attempt after the peer became active and, on the inviter, the code was used up,
  /// durably.
  public mutating func promoted() -> [PairingEffect] {
    guard case .promoting(var peer) = state else { return [] }
    let last: [PairingEffect] = inviter == nil ? [] : [.send(peer.seal(.done))]
    return last + end(.ok)
  }

  /// Handles the loss of the connection, or silence of the other side; a pending peer is kept for
  /// `Limits.pairingCommitMilliseconds`, in which a session with it completes the pairing.
  public mutating func connectionLost() -> [PairingEffect] {
    switch state {
    case .promoting, .ended: []
    // Silence before the first answer means that no code with this discriminator is open there.
    case .meeting where inviter == nil: end(.expired)
    default: end(.network)
    }
  }

  private mutating func advance(_ frame: [UInt8]) throws -> [PairingEffect] {
    switch state {
    case .meeting(let meeting): return try advance(meeting, frame)

    case .awaitingProof(var peer, let digits):
      // The inviter rejected our third message, and so has no key to encrypt this notice.
      if inviter == nil, let notice = PairingNotice(frame: frame) { return end(notice.outcome) }
      switch try peer.open(frame) {
      case .proof(let signature):
        guard peer.hasSigned(signature, asInviter: inviter == nil) else { throw PairingFault.proof }
        let ask = PairingEffect.ask(PairingQuestion(peer.device, digits: digits))
        guard inviter != nil else {
          state = .awaitingCommit(peer, accepted: !asksPerson)
          return [ask]
        }
        let answer = peer.seal(peer.proof(by: own, isInviter: true))
        state = .awaitingAnswer(peer)
        return [.send(answer), ask] + (asksPerson ? [] : requestedAccept())
      case .abort(let outcome) where inviter == nil: return end(outcome)
      case .abort, .commit, .commitAcknowledged, .done: throw PairingFault.outOfTurn
      }

    case .awaitingCommit(var peer, let accepted):
      switch try peer.open(frame) {
      case .commit(let discoveryKey):
        peer.device.discoveryKey = discoveryKey
        state = .awaitingAnswer(peer)
        return accepted ? store(peer) : []
      case .abort(let outcome): return end(outcome)
      case .proof, .commitAcknowledged, .done: throw PairingFault.outOfTurn
      }

    case .awaitingAnswer(var peer): return end(try peer.openAbort(frame))

    case .storing(var peer): return [peer.discard] + end(try peer.openAbort(frame))

    case .awaitingLastWord(var peer):
      switch (try peer.open(frame), inviter != nil) {
      case (.commitAcknowledged, true), (.done, false):
        state = .promoting(peer)
        return [.promote(peer.device)]
      case (.abort(let outcome), _): return [peer.discard] + end(outcome)
      case (.proof, _), (.commit, _), (.commitAcknowledged, _), (.done, _): throw PairingFault.outOfTurn
      }

    case .promoting, .ended: return []
    }
  }

  private mutating func store(_ peer: Peer) -> [PairingEffect] {
    state = .storing(peer)
    return [.storePending(peer.device)]
  }

  private mutating func fail() -> [PairingEffect] {
    let before = state
    state = .ended
    switch before {
    // Before the third message is verified, any fault is a wrong guess at the code.
    case .meeting:
      guard inviter != nil else { return [.finish(.wrongCode)] }
      return [.countFailure, .send(PairingNotice.wrongCode.frame), .finish(.wrongCode)]
    case .storing(let peer): return [peer.discard, .finish(.network)]
    case .awaitingLastWord(let peer) where inviter != nil: return [peer.discard, .finish(.network)]
    // The verified message has proved that the code was right, so later faults are not guesses. A
    // pairing that the joiner has acknowledged stays pending, since the inviter may have completed
    // it.
    case .awaitingProof, .awaitingCommit, .awaitingAnswer, .awaitingLastWord: return [.finish(.network)]
    case .promoting, .ended: return []
    }
  }

  /// Sends the outcome to the other side.
  ///
  /// `own` is the outcome here; `nil` if it is the same.
  mutating func abort(_ peer: Peer, _ outcome: PairingOutcome, ending own: PairingOutcome? = nil) -> [PairingEffect] {
    var peer = peer
    return [.send(peer.seal(.abort(outcome)))] + end(own ?? outcome)
  }

  mutating func end(_ outcome: PairingOutcome) -> [PairingEffect] {
    state = .ended
    return [.finish(outcome)]
  }
}

/// A fault of the peer in a pairing other than failed decryption.
///
/// On the wire, all faults look alike.
enum PairingFault: Error {
  /// A signature or a commitment does not match.
  case proof
  /// A step is out of place.
  case outOfTurn
}
