import LatchkeyModel

/// The inputs from the store and from sessions.
extension InvitationMachine {
  /// Continues after the peer of an attempt was stored as pending.
  public mutating func stored(wasPaired: Bool, in number: Int) -> [Effect] {
    guard var attempt = attempt(number), case .storing(let question, let peer) = attempt.stage else { return [] }
    let effects = attempt.machine.stored()
    attempt.stage = .awaitingAcknowledgement(question, HalfPairing(peer: peer, wasPaired: wasPaired))
    // The store keeps one pending device for each code, so an earlier one is gone.
    attempt.open.half = peer.keys.deviceID
    return follow(effects, attempt)
  }

  /// Closes the code because the store refused the pending peer.
  public mutating func notStored(in number: Int) -> [Effect] {
    guard let attempt = attempt(number), case .storing = attempt.stage else { return [] }
    return requestedEnd(.network)
  }

  /// Continues after the peer became active and the code was used up, durably.
  public mutating func promoted(in number: Int) -> [Effect] {
    guard var attempt = attempt(number), case .promoting(let completion) = attempt.stage else { return [] }
    let last = attempt.machine.promoted()
    phase = .completing(completion)
    // The other machine waits for the last message. Everything after it concerns this machine only.
    return parting(last, attempt.line) + [.welcome(completion.half.peer)]
  }

  /// Handles a pending peer that was rolled back in the meantime or that the store refused to activate.
  ///
  /// The joiner receives no message and rolls back as well, unless a session with the new key completes the pairing.
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

  /// Ends the pairing after this node has done everything that a new device requires.
  public mutating func welcomed(_ device: RegisteredDevice?) -> [Effect] {
    guard case .completing(let completion) = phase else { return [] }
    guard completion.isUndone else { return end(.ok, completion.question, device) }
    phase = .undoing(completion, device)
    return [.remove(completion.half.device)]
  }

  /// Ends the pairing after the attempt to remove the device again.
  public mutating func removed(_ isRemoved: Bool) -> [Effect] {
    guard case .undoing(let completion, let device) = phase else { return [] }
    return isRemoved ? end(.cancelled, completion.question) : end(.ok, completion.question, device)
  }

  /// Records that a session completed a pairing.
  ///
  /// If it belongs to this code, the code is used up.
  public mutating func completed(_ device: DeviceID, as registered: RegisteredDevice?) -> [Effect] {
    switch phase {
    case .open(let open) where open.half == device: return end(.ok, nil, registered)
    case .attempt(var attempt) where attempt.open.half == device:
      switch attempt.stage {
      // The store is about to report the same for this attempt.
      case .promoting: return []
      // The session completed before the acknowledgement arrived.
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

  /// Records that a pending pairing was rolled back.
  public mutating func rolledBack(_ device: DeviceID) {
    guard case .open(var open) = phase, open.half == device else { return }
    open.half = nil
    phase = .open(open)
  }
}
