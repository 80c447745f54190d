import LatchkeyModel

/// A code while it is open.
struct OpenCode: Sendable {
  let pasted: PairingCode
  let typed: TypedCode?
  let deadline: BootInstant
  /// The device that the last attempt left pending; a session with it within a minute completes the
  /// pairing.
  var half: DeviceID?
}

/// The inputs and values that only an inviter has.
extension PairingMachine {
  /// Opens a code.
  ///
  /// `failures` is the number of wrong guesses, and `half` the device left pending, by attempts in
  /// an earlier run of the node.
  public init(
    pairingID: String, pasted: PairingCode, typed: TypedCode?, deadline: BootInstant, childName: String?,
    failures: Int = 0, half: DeviceID? = nil
  ) {
    self.init(
      PairingProgress(
        pairingID: pairingID, phase: .waiting, change: 1, part: .inviter,
        prefix: TypedCode.prefix(discriminator: pasted.discriminator), childName: childName),
      open: OpenCode(pasted: pasted, typed: typed, deadline: deadline, half: half), failures: failures)
  }

  /// Returns the code in the form that the joiner uses; `nil` if no joiner can use it any more.
  public func credential(isTyped: Bool) -> PairingCredential? {
    guard let open else { return nil }
    return isTyped ? open.typed.map { .typed($0) } : .pasted(open.pasted)
  }

  /// The time at which the code expires; `nil` if it is used up or closed, and on the joiner.
  public var deadline: BootInstant? { open?.deadline }

  /// Closes the code if it has expired.
  public mutating func timerFired(_ now: BootInstant) -> [Effect] {
    guard let deadline, deadline <= now else { return [] }
    return requestedEnd(.expired)
  }

  /// Continues after a wrong guess was counted; the last permitted one closes the code.
  public mutating func counted(failures: Int, in number: Int) -> [Effect] {
    self.failures = failures
    guard failures >= Limits.pairingFailures, let attempt = attempt(number), case .counting(let rest) = attempt.stage
    else { return counted(in: number) }
    return parting(rest, attempt.line) + end(.wrongCode)
  }
}

/// The inputs and values that only a joiner has.
extension PairingMachine {
  /// Begins a join with the discriminator of a code.
  public init(pairingID: String, discriminator: UInt16) {
    self.init(
      PairingProgress(
        pairingID: pairingID, phase: .waiting, change: 1, part: .joiner,
        prefix: TypedCode.prefix(discriminator: discriminator)))
  }

  /// The outcome of the last attempt while the search continues; `nil` during an attempt and after
  /// the join has ended.
  public var attempted: PairingOutcome? { isWaiting ? last : nil }

  /// Records an observation of the search; `nil` removes it.
  public mutating func heard(_ hint: JoinHint?) -> [Effect] {
    self.hint = hint
    return []
  }

  public mutating func searched(_ outcome: PairingOutcome) -> [Effect] { isWaiting ? end(outcome) : [] }

  /// Ends the join because the store could not count the run; a run that is not counted must not
  /// take place.
  public mutating func notCounted(in number: Int) -> [Effect] {
    guard let attempt = attempt(number), case .counting = attempt.stage else { return [] }
    return requestedEnd(.network)
  }

  /// Handles the fact that no session has confirmed the pairing yet, although one still may.
  public mutating func doubted() -> [Effect] {
    guard case .inDoubt(let completion) = phase else { return [] }
    return takeBack(completion)
  }

  /// Undoes an unconfirmed pairing if its person cancelled it.
  ///
  /// The pairing is first completed here, so that it can be revoked with a signed notice. A device
  /// that was paired before stays paired, since only its new key is unconfirmed.
  mutating func takeBack(_ completion: PairingCompletion) -> [Effect] {
    guard isTakenBack else { return [] }
    guard !completion.wasPaired else { return end(.cancelled, completion.question, wasLeftHere: true) }
    return [.force(completion.device)]
  }

  /// Continues after the device became active although the pairing is unconfirmed.
  public mutating func forced() -> [Effect] {
    guard case .inDoubt(let completion) = phase else { return [] }
    phase = .undoing(completion, nil)
    return [.remove(completion.device)]
  }

  /// Ends a join that only waits for confirmation, because none came or the person has begun
  /// another join.
  public mutating func superseded() -> [Effect] {
    guard case .inDoubt(let completion) = phase else { return [] }
    return end(.network, completion.question)
  }
}
