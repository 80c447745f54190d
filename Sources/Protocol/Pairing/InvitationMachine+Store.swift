import LatchkeyModel

/// What the store and sessions do.
extension InvitationMachine {
  /// Takes note that the attempt's peer is durably pending.
  public mutating func stored(wasPaired: Bool, in number: Int) -> [Effect] {
    guard var attempt = attempt(number), case .storing(let question, let peer) = attempt.stage else { return [] }
    let effects = attempt.machine.stored()
    attempt.stage = .awaitingAcknowledgement(question, HalfPairing(peer: peer, wasPaired: wasPaired))
    // The store keeps one device a code as pending: an earlier one has made room.
    attempt.open.half = peer.keys.deviceID
    return follow(effects, attempt)
  }

  /// Takes note that the store refused, which closes the code.
  public mutating func notStored(in number: Int) -> [Effect] {
    guard let attempt = attempt(number), case .storing = attempt.stage else { return [] }
    return requestedEnd(.network)
  }

  /// Takes note that the attempt's peer is active and the code spent, durably.
  public mutating func promoted(in number: Int) -> [Effect] {
    guard var attempt = attempt(number), case .promoting(let completion) = attempt.stage else { return [] }
    let last = attempt.machine.promoted()
    phase = .completing(completion)
    // The other machine waits for the last word; what follows it is of this machine alone.
    return parting(last, attempt.line) + [.welcome(completion.half.peer)]
  }

  /// Takes note that the pending peer was rolled back meanwhile, or that the store refused.
  ///
  /// The joiner hears nothing and rolls back too, unless a session with the new key completes the pairing.
  public mutating func notPromoted(in number: Int) -> [Effect] {
    guard let attempt = attempt(number), case .promoting(let completion) = attempt.stage else { return [] }
    guard !completion.isTakenBack else {
      return [.close(attempt.line), .discard(completion.half.device)] + end(.cancelled, completion.question)
    }
    var open = attempt.open
    open.last = .network
    phase = .open(open)
    return [.close(attempt.line)]
  }

  /// Takes note that this node has done all that a new device asks for.
  public mutating func welcomed(_ device: RegisteredDevice?) -> [Effect] {
    guard case .completing(let completion) = phase else { return [] }
    guard completion.isUndone else { return end(.ok, completion.question, device) }
    phase = .undoing(completion, device)
    return [.remove(completion.half.device)]
  }

  /// Takes note of whether the device could be removed again.
  public mutating func removed(_ isRemoved: Bool) -> [Effect] {
    guard case .undoing(let completion, let device) = phase else { return [] }
    return isRemoved ? end(.cancelled, completion.question) : end(.ok, completion.question, device)
  }

  /// Takes note that a session has completed a pairing, which spends the code if it was this one's.
  public mutating func completed(_ device: DeviceID, as registered: RegisteredDevice?) -> [Effect] {
    switch phase {
    case .open(let open) where open.half == device: return end(.ok, nil, registered)
    case .attempt(var attempt) where attempt.open.half == device:
      switch attempt.stage {
      // The store tells this attempt in a moment.
      case .promoting: return []
      // The session was faster than the acknowledgement.
      case .awaitingAcknowledgement(let question, _):
        return [.close(attempt.line)] + end(.ok, question, registered)
      // Another joiner came too late.
      case .meeting, .refusing, .asking, .storing:
        let last = attempt.machine.requestedEnd(.expired)
        return parting(last, attempt.line) + end(.ok, nil, registered)
      }
    case .open, .attempt, .completing, .undoing, .ended: return []
    }
  }

  /// Takes note that a half-made pairing was rolled back.
  public mutating func rolledBack(_ device: DeviceID) {
    guard case .open(var open) = phase, open.half == device else { return }
    open.half = nil
    phase = .open(open)
  }
}
