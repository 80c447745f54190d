import LatchkeyModel

/// What the store and sessions do.
extension JoinMachine {
  /// Takes note that the run is durably counted: the inviter hears the next frame.
  public mutating func counted(in number: Int) -> [Effect] {
    guard var attempt = attempt(number), case .counting(let rest) = attempt.stage else { return [] }
    attempt.stage = .meeting
    return follow(rest, attempt)
  }

  /// Takes note that the store refused to count, which ends the join: a run that is not counted is not made.
  public mutating func notCounted(in number: Int) -> [Effect] {
    guard let attempt = attempt(number), case .counting = attempt.stage else { return [] }
    return requestedEnd(.network)
  }

  /// Takes note that the attempt's peer is durably pending: from here on the inviter may make it final.
  public mutating func stored(wasPaired: Bool, in number: Int) -> [Effect] {
    guard var attempt = attempt(number), case .storing(let question, let peer) = attempt.stage else { return [] }
    let effects = attempt.machine.stored()
    attempt.stage = .awaitingDone(
      PairingCompletion(question: question, half: HalfPairing(peer: peer, wasPaired: wasPaired)))
    return follow(effects, attempt)
  }

  /// Takes note that the store refused, which ends the join.
  public mutating func notStored(in number: Int) -> [Effect] {
    guard let attempt = attempt(number), case .storing = attempt.stage else { return [] }
    return requestedEnd(.network)
  }

  /// Takes note that the attempt's peer is active, durably.
  public mutating func promoted(in number: Int) -> [Effect] {
    guard let attempt = attempt(number), case .promoting(let completion) = attempt.stage else { return [] }
    phase = .completing(completion)
    return [.welcome(completion.half.peer), .close(attempt.line)]
  }

  /// Takes note that the pending peer was rolled back meanwhile, or that the store refused.
  public mutating func notPromoted(in number: Int) -> [Effect] {
    guard let attempt = attempt(number), case .promoting(let completion) = attempt.stage else { return [] }
    return [.close(attempt.line)] + end(.network, completion.question, wasLeftHere: completion.isTakenBack)
  }

  /// Takes note that no session has brought the last word yet, while one still may.
  public mutating func doubted() -> [Effect] {
    guard case .inDoubt(let completion) = phase else { return [] }
    return takeBack(completion)
  }

  /// Undoes a pairing whose last word is missing, if its person broke it off.
  ///
  /// It is made final here first, so that it can be taken back, signed. A device that was paired before stays so: only its
  /// new key is in doubt.
  mutating func takeBack(_ completion: PairingCompletion) -> [Effect] {
    guard completion.isTakenBack else { return [] }
    guard !completion.half.wasPaired else { return end(.cancelled, completion.question, wasLeftHere: true) }
    return [.force(completion.half.device)]
  }

  /// Takes note that the device is active although the last word is missing.
  public mutating func forced() -> [Effect] {
    guard case .inDoubt(let completion) = phase else { return [] }
    phase = .undoing(completion, nil)
    return [.remove(completion.half.device)]
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
    return isRemoved
      ? end(.cancelled, completion.question, wasLeftHere: true) : end(.ok, completion.question, device)
  }

  /// Takes note that a session has completed a pairing, which is the last word if it was this one.
  public mutating func completed(_ device: DeviceID) -> [Effect] {
    switch phase {
    case .inDoubt(let completion) where completion.half.device == device:
      phase = .completing(completion)
      return [.welcome(completion.half.peer)]
    case .attempt(let attempt):
      // While it is being made active, the store tells this attempt in a moment.
      guard case .awaitingDone(let completion) = attempt.stage, completion.half.device == device else { return [] }
      phase = .completing(completion)
      return [.close(attempt.line), .welcome(completion.half.peer)]
    case .searching, .inDoubt, .completing, .undoing, .ended: return []
    }
  }

  /// Takes note that no session has brought the last word in time.
  public mutating func lapsed(_ device: DeviceID) -> [Effect] {
    guard case .inDoubt(let completion) = phase, completion.half.device == device else { return [] }
    return end(.network, completion.question, wasLeftHere: completion.isTakenBack)
  }

  /// Ends a join that only waits for the last word, since the person has begun another one.
  public mutating func superseded() -> [Effect] {
    guard case .inDoubt(let completion) = phase else { return [] }
    return end(.network, completion.question, wasLeftHere: completion.isTakenBack)
  }
}
