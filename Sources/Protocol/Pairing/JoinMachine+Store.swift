import LatchkeyModel

/// The inputs from the store and from sessions.
extension JoinMachine {
  /// Sends the next frame to the inviter after the run was counted.
  public mutating func counted(in number: Int) -> [Effect] {
    guard var attempt = attempt(number), case .counting(let rest) = attempt.stage else { return [] }
    attempt.stage = .meeting
    return follow(rest, attempt)
  }

  /// Ends the join because the store could not count the run.
  ///
  /// A run that is not counted must not take place.
  public mutating func notCounted(in number: Int) -> [Effect] {
    guard let attempt = attempt(number), case .counting = attempt.stage else { return [] }
    return requestedEnd(.network)
  }

  /// Continues after the peer of an attempt was stored as pending.
  ///
  /// From here on, the inviter may complete the pairing.
  public mutating func stored(wasPaired: Bool, in number: Int) -> [Effect] {
    guard var attempt = attempt(number), case .storing(let question, let peer) = attempt.stage else { return [] }
    let effects = attempt.machine.stored()
    attempt.stage = .awaitingDone(
      PairingCompletion(question: question, half: HalfPairing(peer: peer, wasPaired: wasPaired)))
    return follow(effects, attempt)
  }

  /// Ends the join because the store refused the pending peer.
  public mutating func notStored(in number: Int) -> [Effect] {
    guard let attempt = attempt(number), case .storing = attempt.stage else { return [] }
    return requestedEnd(.network)
  }

  /// Continues after the peer of an attempt became active, durably.
  public mutating func promoted(in number: Int) -> [Effect] {
    guard let attempt = attempt(number), case .promoting(let completion) = attempt.stage else { return [] }
    phase = .completing(completion)
    return [.welcome(completion.half.peer), .close(attempt.line)]
  }

  /// Handles a pending peer that was rolled back in the meantime or that the store refused to activate.
  public mutating func notPromoted(in number: Int) -> [Effect] {
    guard let attempt = attempt(number), case .promoting(let completion) = attempt.stage else { return [] }
    return [.close(attempt.line)] + end(.network, completion.question, wasLeftHere: completion.isTakenBack)
  }

  /// Handles the fact that no session has confirmed the pairing yet, although one still may.
  public mutating func doubted() -> [Effect] {
    guard case .inDoubt(let completion) = phase else { return [] }
    return takeBack(completion)
  }

  /// Undoes an unconfirmed pairing if its person cancelled it.
  ///
  /// The pairing is first completed here, so that it can be revoked with a signed notice. A device that was paired
  /// before stays paired, since only its new key is unconfirmed.
  mutating func takeBack(_ completion: PairingCompletion) -> [Effect] {
    guard completion.isTakenBack else { return [] }
    guard !completion.half.wasPaired else { return end(.cancelled, completion.question, wasLeftHere: true) }
    return [.force(completion.half.device)]
  }

  /// Continues after the device became active although the pairing is unconfirmed.
  public mutating func forced() -> [Effect] {
    guard case .inDoubt(let completion) = phase else { return [] }
    phase = .undoing(completion, nil)
    return [.remove(completion.half.device)]
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
    return isRemoved
      ? end(.cancelled, completion.question, wasLeftHere: true) : end(.ok, completion.question, device)
  }

  /// Records that a session completed a pairing.
  ///
  /// If it is this one, it is confirmed.
  public mutating func completed(_ device: DeviceID) -> [Effect] {
    switch phase {
    case .inDoubt(let completion) where completion.half.device == device:
      phase = .completing(completion)
      return [.welcome(completion.half.peer)]
    case .attempt(let attempt):
      // If the device is being made active, the store is about to report this for the attempt.
      guard case .awaitingDone(let completion) = attempt.stage, completion.half.device == device else { return [] }
      phase = .completing(completion)
      return [.close(attempt.line), .welcome(completion.half.peer)]
    case .searching, .inDoubt, .completing, .undoing, .ended: return []
    }
  }

  /// Ends the join because no session confirmed it in time.
  public mutating func lapsed(_ device: DeviceID) -> [Effect] {
    guard case .inDoubt(let completion) = phase, completion.half.device == device else { return [] }
    return end(.network, completion.question, wasLeftHere: completion.isTakenBack)
  }

  /// Ends a join that only waits for confirmation, because the person has begun another one.
  public mutating func superseded() -> [Effect] {
    guard case .inDoubt(let completion) = phase else { return [] }
    return end(.network, completion.question, wasLeftHere: completion.isTakenBack)
  }
}
