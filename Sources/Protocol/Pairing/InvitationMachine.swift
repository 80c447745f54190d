import LatchkeyModel

/// The life of one pairing code on the inviter: it is open, joiners use it one after another, and it is closed.
///
/// A pure value: its owner performs the effects of each input in order. `Line` is the connection on which frames are
/// sent. A `PairingInviterMachine` handles the frames of each attempt.
///
/// Spec: Protocol/03-pairing.md §2, §5 and §7, with the state diagram in §9.
public struct InvitationMachine<Line: Sendable>: Sendable {
  /// An instruction to the machine's owner.
  public enum Effect: Sendable {
    case send([UInt8], Line)
    /// Lift the limits for unauthenticated connections, since the joiner has the code.
    case lift(Line)
    /// Close the connection once everything has been sent.
    case close(Line)
    /// Store the peer as pending, then call `stored` or `notStored` for the attempt.
    case storePending(PairedPeer, Int)
    /// Store the peer as active and the code as used up, then call `promoted` or `notPromoted` for the attempt.
    case promote(PairedPeer, Int)
    /// Inform the rest of this node that the peer is active, then call `welcomed`.
    case welcome(PairedPeer)
    /// Delete the pending peer from the store.
    case discard(DeviceID)
    /// Remove the device, durably and with a signed notice, then call `removed`.
    case remove(DeviceID)
    /// Count a wrong guess, durably, then call `counted` for the attempt.
    case countFailure(Line, Int)
    /// Slow down a joiner that left before it had proved anything.
    case abandoned(Line)
    /// Stop announcing the code, and store that it is closed.
    ///
    /// With the outcome `ok`, this is stored already.
    case ended(PairingOutcome)
  }

  /// The state that exists only while the code is open.
  struct Open: Sendable {
    let pasted: PairingCode
    let typed: TypedCode?
    let deadline: BootInstant
    /// The device that the last attempt left pending.
    ///
    /// A session with it within a minute completes the pairing.
    var half: DeviceID?
    /// The outcome of the last attempt.
    var last: PairingOutcome?
  }

  /// The progress of the current attempt.
  enum Stage: Sendable {
    /// The joiner has not proved its identity yet.
    case meeting
    /// A wrong guess is being counted.
    ///
    /// The rest waits until the count is durable.
    case refusing(rest: [PairingEffect])
    case asking(PairingQuestion)
    case storing(PairingQuestion, PairedPeer)
    case awaitingAcknowledgement(PairingQuestion, HalfPairing)
    /// The pairing can no longer be cancelled.
    case promoting(PairingCompletion)
  }

  /// The current attempt of a joiner to use the code.
  struct Attempt: Sendable {
    let number: Int
    let line: Line
    var machine: PairingInviterMachine
    var stage = Stage.meeting
    var open: Open
  }

  enum Phase: Sendable {
    case open(Open)
    case attempt(Attempt)
    /// The device is active, durably, and the joiner was told.
    ///
    /// The remaining work concerns this machine only.
    case completing(PairingCompletion)
    /// The person cancelled too late, so the device is being removed again.
    case undoing(PairingCompletion, RegisteredDevice?)
    case ended(EndedPairing)
  }

  var phase: Phase
  var failures: Int
  /// The number of attempts so far, and of those that reached a question.
  private var attempts = 0
  var questions = 0
  let first: PairingProgress

  /// Opens a code.
  ///
  /// `failures` is the number of wrong guesses, and `half` the device left pending, by attempts in an earlier run of
  /// the node.
  public init(
    pairingID: String, pasted: PairingCode, typed: TypedCode?, deadline: BootInstant, childName: String?,
    failures: Int = 0, half: DeviceID? = nil
  ) {
    phase = .open(Open(pasted: pasted, typed: typed, deadline: deadline, half: half))
    self.failures = failures
    first = PairingProgress(
      pairingID: pairingID, phase: .waiting, change: 1, part: .inviter,
      prefix: TypedCode.prefix(discriminator: pasted.discriminator), childName: childName)
  }

  /// Begins an attempt with a joiner that has sent its first data.
  ///
  /// Returns the attempt's number; `nil` if another attempt is under way or the code is closed.
  public mutating func connected(_ line: Line, _ machine: @autoclosure () -> PairingInviterMachine) -> Int? {
    guard case .open(let open) = phase else { return nil }
    attempts += 1
    phase = .attempt(Attempt(number: attempts, line: line, machine: machine(), open: open))
    return attempts
  }

  /// Handles a frame from the joiner.
  public mutating func received(_ frame: [UInt8], in number: Int) -> [Effect] {
    guard var attempt = attempt(number) else { return [] }
    let effects = attempt.machine.received(frame)
    return follow(effects, attempt)
  }

  /// Handles the loss of the joiner's connection, or its failure to answer in time.
  public mutating func lost(_ number: Int) -> [Effect] {
    guard var attempt = attempt(number) else { return [] }
    var effects: [Effect] = []
    if case .meeting = attempt.stage, !attempt.machine.isProven { effects.append(.abandoned(attempt.line)) }
    let last = attempt.machine.connectionLost()
    return effects + follow(last, attempt)
  }

  /// Continues after a wrong guess was counted.
  ///
  /// The last permitted one closes the code.
  public mutating func counted(failures: Int, in number: Int) -> [Effect] {
    self.failures = failures
    guard let attempt = attempt(number), case .refusing(let rest) = attempt.stage else { return [] }
    guard failures < Limits.pairingFailures else { return parting(rest, attempt.line) + end(.wrongCode) }
    return follow(rest, attempt)
  }

  /// Returns whether this attempt is under way.
  public func isUnderWay(_ number: Int) -> Bool { attempt(number) != nil }

  func attempt(_ number: Int) -> Attempt? {
    guard case .attempt(let attempt) = phase, attempt.number == number else { return nil }
    return attempt
  }

  /// Carries out the effects of the attempt's machine.
  mutating func follow(_ effects: [PairingEffect], _ attempt: Attempt) -> [Effect] {
    var attempt = attempt
    var result: [Effect] = []
    var isDiscarded = false
    for (index, effect) in effects.enumerated() {
      switch (effect, attempt.stage) {
      case (.send(let frame), _): result.append(.send(frame, attempt.line))
      case (.ask(let question), _):
        questions += 1
        attempt.stage = .asking(question)
        result.append(.lift(attempt.line))
      case (.storePending(let peer), .asking(let question)):
        attempt.stage = .storing(question, peer)
        result.append(.storePending(peer, attempt.number))
      case (.promote(let peer), .awaitingAcknowledgement(let question, let half)):
        attempt.stage = .promoting(PairingCompletion(question: question, half: half))
        result.append(.promote(peer, attempt.number))
      case (.discard(let device), _):
        isDiscarded = true
        result.append(.discard(device))
      case (.countFailure, _):
        attempt.stage = .refusing(rest: Array(effects[(index + 1)...]))
        phase = .attempt(attempt)
        return result + [.countFailure(attempt.line, attempt.number)]
      case (.finish(let outcome), _): return result + over(attempt, outcome, isDiscarded)
      case (.storePending, _), (.promote, _), (.countRun, _), (.creditRun, _):
        preconditionFailure("an inviter's machine asks, then stores, then makes active")
      }
    }
    phase = .attempt(attempt)
    return result
  }

  /// Ends an attempt.
  ///
  /// The code stays open unless a person refused.
  private mutating func over(_ attempt: Attempt, _ outcome: PairingOutcome, _ isDiscarded: Bool) -> [Effect] {
    if outcome == .refused { return [.close(attempt.line)] + end(outcome, attempt.stage.question) }
    var open = attempt.open
    // The operation that the store is still working on is about to finish.
    if let device = attempt.stage.device { open.half = isDiscarded ? nil : device }
    open.last = outcome
    phase = .open(open)
    return [.close(attempt.line)]
  }

  /// Returns the effects that end an attempt, whether the code stays open or not.
  func parting(_ effects: [PairingEffect], _ line: Line) -> [Effect] {
    effects.lastWords(send: { .send($0, line) }, discard: { .discard($0) }) + [.close(line)]
  }

  mutating func end(
    _ outcome: PairingOutcome, _ question: PairingQuestion? = nil, _ device: RegisteredDevice? = nil
  ) -> [Effect] {
    phase = .ended(EndedPairing(outcome: outcome, question: question, device: device))
    return [.ended(outcome)]
  }
}

extension InvitationMachine.Stage {
  /// The question that the person was asked about this joiner.
  var question: PairingQuestion? {
    switch self {
    case .meeting, .refusing: nil
    case .asking(let question), .storing(let question, _), .awaitingAcknowledgement(let question, _): question
    case .promoting(let completion): completion.question
    }
  }

  /// The device that is pending or is about to be.
  var device: DeviceID? {
    switch self {
    case .meeting, .refusing, .asking: nil
    case .storing(_, let peer): peer.keys.deviceID
    case .awaitingAcknowledgement(_, let half): half.device
    case .promoting(let completion): completion.half.device
    }
  }
}
