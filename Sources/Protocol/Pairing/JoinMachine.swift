import LatchkeyModel

/// The life of one join: the search for the inviter, one attempt after another, and the result of the last one.
///
/// A pure value: its owner performs the effects of each input in order. `Line` is the connection on which frames are
/// sent. A `PairingJoinerMachine` handles the frames of each attempt; a `JoinSearch` decides where to try.
///
/// Spec: Protocol/03-pairing.md §5 and §7, with the state diagram in §9.
public struct JoinMachine<Line: Sendable>: Sendable {
  /// An instruction to the machine's owner.
  public enum Effect: Sendable {
    case send([UInt8], Line)
    /// Lift the limits for unauthenticated connections, since the inviter has the code.
    case lift(Line)
    /// Close the connection once everything has been sent.
    case close(Line)
    /// Store the peer as pending, then call `stored` or `notStored` for the attempt.
    case storePending(PairedPeer, Line, Int)
    /// Store the peer as active, then call `promoted` or `notPromoted` for the attempt.
    case promote(PairedPeer, Line, Int)
    /// Inform the rest of this node that the peer is active, then call `welcomed`.
    case welcome(PairedPeer)
    /// Find out whether a session has completed the pairing, then call `completed`, `lapsed` or, if that is still
    /// possible, `doubted`.
    case settle(PairedPeer)
    /// Make the peer active although the pairing is unconfirmed, then call `forced` on success.
    case force(DeviceID)
    /// Delete the pending peer from the store.
    case discard(DeviceID)
    /// Remove the device, durably and with a signed notice, then call `removed`.
    case remove(DeviceID)
    /// Count a run of the typed code, durably, then call `counted` or `notCounted` for the attempt.
    case countRun(Int)
    /// Subtract the counted run again, since it was the inviter that answered.
    case creditRun
    /// Report that the join has ended.
    case ended(PairingOutcome)
  }

  /// The progress of the current attempt.
  enum Stage: Sendable {
    /// The other machine has not proved yet that it is the inviter.
    case meeting
    /// A run of the typed code is being counted.
    ///
    /// The next frame waits until the count is durable.
    case counting(rest: [PairingEffect])
    case asking(PairingQuestion)
    /// The person here has accepted, but the inviter's has not.
    case agreed(PairingQuestion)
    case storing(PairingQuestion, PairedPeer)
    /// The pairing can no longer be cancelled.
    ///
    /// The same holds for `promoting`.
    case awaitingDone(PairingCompletion)
    case promoting(PairingCompletion)
  }

  /// The current attempt with one machine.
  struct Attempt: Sendable {
    let number: Int
    let line: Line
    var machine: PairingJoinerMachine
    var stage = Stage.meeting
  }

  enum Phase: Sendable {
    /// No machine is being tried.
    ///
    /// `last` is the outcome of the last attempt.
    case searching(last: PairingOutcome?)
    case attempt(Attempt)
    /// The connection was lost before the last message.
    ///
    /// A session with the inviter within a minute may still confirm the pairing.
    case inDoubt(PairingCompletion)
    /// The device is active, durably.
    ///
    /// The remaining work concerns this machine only.
    case completing(PairingCompletion)
    /// The person cancelled too late, so the device is being removed again.
    case undoing(PairingCompletion, RegisteredDevice?)
    case ended(EndedPairing)
  }

  var phase = Phase.searching(last: nil)
  private var attempts = 0
  var questions = 0
  /// The observation of the search; `nil` for none.
  public private(set) var hint: JoinHint?
  let first: PairingProgress

  /// Begins a join with the discriminator of a code.
  public init(pairingID: String, discriminator: UInt16) {
    first = PairingProgress(
      pairingID: pairingID, phase: .waiting, change: 1, part: .joiner,
      prefix: TypedCode.prefix(discriminator: discriminator))
  }

  /// Begins an attempt on a connection to a machine that may be the inviter.
  ///
  /// Returns the attempt's number; `nil` if the join has ended.
  public mutating func connected(_ line: Line, _ machine: PairingJoinerMachine) -> Int? {
    guard case .searching = phase else { return nil }
    attempts += 1
    phase = .attempt(Attempt(number: attempts, line: line, machine: machine))
    return attempts
  }

  /// Handles a frame from the other machine.
  public mutating func received(_ frame: [UInt8], in number: Int) -> [Effect] {
    guard var attempt = attempt(number) else { return [] }
    let effects = attempt.machine.received(frame)
    return follow(effects, attempt)
  }

  /// Handles the loss of the connection, or the other machine's failure to answer in time.
  public mutating func lost(_ number: Int) -> [Effect] {
    guard var attempt = attempt(number) else { return [] }
    let effects = attempt.machine.connectionLost()
    return follow(effects, attempt)
  }

  /// Records an observation of the search; `nil` removes it.
  public mutating func heard(_ hint: JoinHint?) -> [Effect] {
    self.hint = hint
    return []
  }

  /// Ends the join when the search is over.
  public mutating func searched(_ outcome: PairingOutcome) -> [Effect] {
    guard case .searching = phase else { return [] }
    return end(outcome)
  }

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
      case (.storePending(let peer), .asking(let question)), (.storePending(let peer), .agreed(let question)):
        attempt.stage = .storing(question, peer)
        result.append(.storePending(peer, attempt.line, attempt.number))
      case (.promote(let peer), .awaitingDone(let completion)):
        attempt.stage = .promoting(completion)
        result.append(.promote(peer, attempt.line, attempt.number))
      case (.discard(let device), _):
        isDiscarded = true
        result.append(.discard(device))
      case (.countRun, _):
        attempt.stage = .counting(rest: Array(effects[(index + 1)...]))
        phase = .attempt(attempt)
        return result + [.countRun(attempt.number)]
      case (.creditRun, _): result.append(.creditRun)
      case (.finish(let outcome), _): return result + over(attempt, outcome, isDiscarded)
      case (.storePending, _), (.promote, _), (.countFailure, _):
        preconditionFailure("a joiner's machine asks, then stores, then makes active")
      }
    }
    phase = .attempt(attempt)
    return result
  }

  /// Ends an attempt.
  ///
  /// If the outcome comes from the inviter itself, the join ends; otherwise the search decides.
  private mutating func over(_ attempt: Attempt, _ outcome: PairingOutcome, _ isDiscarded: Bool) -> [Effect] {
    let close = Effect.close(attempt.line)
    switch attempt.stage {
    case .awaitingDone(let completion) where outcome == .network && !isDiscarded:
      phase = .inDoubt(completion)
      return [close, .settle(completion.half.peer)]
    case .awaitingDone(let completion):
      return [close] + end(outcome, completion.question, wasLeftHere: completion.isTakenBack)
    case .meeting, .counting, .asking, .agreed, .storing, .promoting:
      guard !attempt.machine.hasMetInviter else { return [close] + end(outcome, attempt.stage.question) }
      phase = .searching(last: outcome)
      return [close]
    }
  }

  mutating func end(
    _ outcome: PairingOutcome, _ question: PairingQuestion? = nil, _ device: RegisteredDevice? = nil,
    wasLeftHere: Bool = false
  ) -> [Effect] {
    phase = .ended(
      EndedPairing(outcome: outcome, question: question, device: device, wasLeftHere: wasLeftHere))
    return [.ended(outcome)]
  }
}

extension JoinMachine.Stage {
  /// The question that the person was asked about this inviter.
  var question: PairingQuestion? {
    switch self {
    case .meeting, .counting: nil
    case .asking(let question), .agreed(let question), .storing(let question, _): question
    case .awaitingDone(let completion), .promoting(let completion): completion.question
    }
  }
}
