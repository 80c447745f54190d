import LatchkeyModel

/// One side of a pairing: the life of a code that was opened here, or of a join with a code that
/// was entered here.
///
/// An open code is used by one joiner after another. A join looks for the inviter and makes one
/// attempt after another. A `PairingAttempt` handles the frames of each attempt; a `JoinSearch`
/// decides where a join tries. A pure value: its owner performs the effects of each input in order.
/// `Line` is the connection on which frames are sent. Spec: Protocol/03-pairing.md §2, §5 and §7,
/// with the state diagrams in §9.
public struct PairingMachine<Line: Sendable>: Sendable {
  /// An instruction to the machine's owner.
  public enum Effect: Sendable {
    case send([UInt8], Line)
    /// Lift the limits for unauthenticated connections, since the other machine has the code.
    case lift(Line)
    /// Close the connection once everything has been sent.
    case close(Line)
    /// Store the peer as pending, then call `stored` or `notStored` for the attempt.
    case storePending(PairedPeer, Line, Int)
    /// Store the peer as active and, on the inviter, the code as used up; then call `promoted` or
    /// `notPromoted` for the attempt.
    case promote(PairedPeer, Line, Int)
    /// Inform the rest of this node that the peer is active, then call `welcomed`.
    case welcome(PairedPeer)
    /// Delete the pending peer from the store.
    case discard(DeviceID)
    /// Remove the device, durably and with a signed notice, then call `removed`.
    case remove(DeviceID)
    /// On the inviter: count a wrong guess, durably, then call `counted` for the attempt.
    case countFailure(Line, Int)
    /// On the inviter: slow down a joiner that left before it had proved anything.
    case abandoned(Line)
    /// On the joiner: count a run of the typed code, durably, then call `counted` or `notCounted`
    /// for the attempt.
    case countRun(Int)
    /// On the joiner: subtract the counted run again, since it was the inviter that answered.
    case creditRun
    /// On the joiner: find out whether a session has completed the pairing, then call `completed`,
    /// `rolledBack` or, if that is still possible, `doubted`.
    case settle(PairedPeer)
    /// On the joiner: make the peer active although the pairing is unconfirmed, then call `forced`
    /// on success.
    case force(DeviceID)
    /// Report the end; on the inviter, also stop announcing the code, and store that it is closed,
    /// which it is already with the outcome `ok`.
    case ended(PairingOutcome)
  }

  enum Stage: Sendable {
    /// The other machine has not proved its identity yet.
    case meeting
    /// A wrong guess or a run is being counted; the rest waits until the count is durable.
    case counting(rest: [PairingEffect])
    case asking(PairingQuestion)
    /// The person here has accepted. On the joiner, the inviter's person may still be asked.
    case agreed(PairingQuestion)
    case storing(PairingQuestion, PairedPeer)
    /// On the joiner, the pairing can no longer be cancelled from here on; on the inviter, from
    /// `promoting` on.
    case awaitingLastWord(PairingCompletion)
    case promoting(PairingCompletion)
  }

  struct Attempt: Sendable {
    let number: Int
    let line: Line
    var machine: PairingAttempt
    var stage = Stage.meeting
  }

  enum Phase: Sendable {
    /// No attempt is under way: the code is open, or the inviter is looked for.
    case waiting
    case attempt(Attempt)
    /// On the joiner: the connection was lost before the last message.
    ///
    /// A session with the inviter within a minute may still confirm the pairing.
    case inDoubt(PairingCompletion)
    /// The device is active, durably; the remaining work concerns this machine only.
    case completing(PairingCompletion)
    /// The person cancelled too late, so the device is being removed again.
    case undoing(PairingCompletion, RegisteredDevice?)
    case ended(PairingProgress)
  }

  var phase = Phase.waiting
  /// The inviter's code; `nil` once no joiner can use it any more, and on the joiner.
  var open: OpenCode?
  /// The number of attempts so far, and of those that reached a question.
  private var attempts = 0
  private var questions = 0
  /// The outcome of the last attempt.
  private(set) var last: PairingOutcome?
  /// The number of wrong guesses at the code.
  var failures = 0
  /// A Boolean value that indicates whether the person here has cancelled a pairing that the other
  /// machine may have completed.
  ///
  /// The device is then removed again after completion, with a signed notice.
  var isTakenBack = false
  /// The observation of the joiner's search; `nil` for none.
  public internal(set) var hint: JoinHint?
  private let first: PairingProgress

  init(_ first: PairingProgress, open: OpenCode? = nil, failures: Int = 0) {
    (self.first, self.open, self.failures) = (first, open, failures)
  }

  var isInviter: Bool { first.part == .inviter }

  /// Begins an attempt and returns its number; `nil` during another attempt and after the end.
  ///
  /// The other machine is a joiner that has sent its first data, or may be the inviter.
  public mutating func connected(_ line: Line, _ machine: @autoclosure () -> PairingAttempt) -> Int? {
    guard case .waiting = phase else { return nil }
    attempts += 1
    phase = .attempt(Attempt(number: attempts, line: line, machine: machine()))
    return attempts
  }

  public mutating func received(_ frame: [UInt8], in number: Int) -> [Effect] {
    guard var attempt = attempt(number) else { return [] }
    let effects = attempt.machine.received(frame)
    return follow(effects, attempt)
  }

  /// Handles the loss of the connection, or the other machine's failure to answer in time.
  public mutating func lost(_ number: Int) -> [Effect] {
    guard var attempt = attempt(number) else { return [] }
    var effects: [Effect] = []
    if isInviter, case .meeting = attempt.stage, !attempt.machine.isProven { effects.append(.abandoned(attempt.line)) }
    let last = attempt.machine.connectionLost()
    return effects + follow(last, attempt)
  }

  /// A Boolean value that indicates whether the pairing continues without an attempt.
  public var isWaiting: Bool { if case .waiting = phase { true } else { false } }

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
      case (.storePending(let peer), .asking(let question)), (.storePending(let peer), .agreed(let question)):
        attempt.stage = .storing(question, peer)
        result.append(.storePending(peer, attempt.line, attempt.number))
      case (.promote(let peer), .awaitingLastWord(let completion)):
        attempt.stage = .promoting(completion)
        result.append(.promote(peer, attempt.line, attempt.number))
      case (.discard(let device), _):
        isDiscarded = true
        result.append(.discard(device))
      case (.countFailure, _), (.countRun, _):
        attempt.stage = .counting(rest: Array(effects[(index + 1)...]))
        phase = .attempt(attempt)
        return result + [isInviter ? .countFailure(attempt.line, attempt.number) : .countRun(attempt.number)]
      case (.creditRun, _): result.append(.creditRun)
      case (.finish(let outcome), _): return result + over(attempt, outcome, isDiscarded)
      case (.storePending, _), (.promote, _): preconditionFailure("an attempt asks, then stores, then makes active")
      }
    }
    phase = .attempt(attempt)
    return result
  }

  /// Ends an attempt.
  ///
  /// The code stays open unless a person refused. A join ends if the outcome comes from the inviter
  /// itself; otherwise the search decides.
  private mutating func over(_ attempt: Attempt, _ outcome: PairingOutcome, _ isDiscarded: Bool) -> [Effect] {
    let close = [Effect.close(attempt.line)]
    if isInviter {
      guard outcome != .refused else { return close + end(outcome, attempt.stage.question) }
      // The operation that the store is still working on is about to finish.
      if let device = attempt.stage.device { open?.half = isDiscarded ? nil : device }
    } else if case .awaitingLastWord(let completion) = attempt.stage {
      guard outcome == .network, !isDiscarded
      else { return close + end(outcome, completion.question, wasLeftHere: isTakenBack) }
      phase = .inDoubt(completion)
      return close + [.settle(completion.peer)]
    } else if attempt.machine.hasMetInviter {
      return close + end(outcome, attempt.stage.question)
    }
    wait(after: outcome)
    return close
  }

  mutating func wait(after outcome: PairingOutcome) {
    last = outcome
    phase = .waiting
  }

  /// Returns the effects that end an attempt from this side.
  func parting(_ effects: [PairingEffect], _ line: Line) -> [Effect] {
    effects.compactMap { effect -> Effect? in
      switch effect {
      case .send(let frame): .send(frame, line)
      case .discard(let device): .discard(device)
      case .ask, .storePending, .promote, .countFailure, .countRun, .creditRun, .finish: nil
      }
    } + [.close(line)]
  }

  /// Ends the pairing; `wasLeftHere` indicates whether the person here cancelled it, at any point.
  mutating func end(
    _ outcome: PairingOutcome, _ question: PairingQuestion? = nil, _ device: RegisteredDevice? = nil,
    wasLeftHere: Bool = false
  ) -> [Effect] {
    var ended = progress(
      .ended, question,
      isInviter ? outcome.inviterSentence : outcome.joinerSentence(wasLeftHere: wasLeftHere, hint: hint))
    // The digits are no longer needed.
    (ended.digits, ended.outcome, ended.device) = (nil, outcome, device)
    (phase, open) = (.ended(ended), nil)
    return [.ended(outcome)]
  }

  /// The number of the question that waits for an answer.
  public var asked: Int? {
    if case .attempt(let attempt) = phase, case .asking = attempt.stage { questions } else { nil }
  }

  /// The progress of the pairing as it is shown.
  public var shown: PairingProgress {
    switch phase {
    case .waiting: return progress(.waiting, nil, isInviter ? last?.goneSentence : hint?.sentence)
    case .attempt(let attempt):
      switch attempt.stage {
      case .meeting, .counting: return progress(.waiting, nil, isInviter ? last?.goneSentence : hint?.sentence)
      case .asking(let question): return progress(.asking, question)
      case .agreed, .storing, .awaitingLastWord, .promoting: return progress(.committing, attempt.stage.question)
      }
    case .inDoubt(let completion):
      return progress(
        .committing, completion.question,
        Phrase("The connection broke off at the last step: waiting up to a minute to learn how the pairing ended."))
    case .completing(let completion), .undoing(let completion, _): return progress(.committing, completion.question)
    case .ended(let ended): return ended
    }
  }

  /// Returns the progress in a phase, with the machine that it concerns.
  private func progress(
    _ phase: PairingProgress.Phase, _ question: PairingQuestion? = nil, _ phrase: Phrase? = nil
  ) -> PairingProgress {
    var shown = first
    if isInviter { shown.failuresLeft = max(0, Limits.pairingFailures - failures) }
    (shown.phase, shown.attempt, shown.phrase) = (phase, questions, phrase)
    shown.sentence = phrase?.worded()
    (shown.peerName, shown.peerRole, shown.digits) = (question?.name, question?.role, question?.digits)
    return shown
  }
}

extension PairingMachine.Stage {
  /// The question that the person was asked about the other machine.
  var question: PairingQuestion? {
    switch self {
    case .meeting, .counting: nil
    case .asking(let question), .agreed(let question), .storing(let question, _): question
    case .awaitingLastWord(let completion), .promoting(let completion): completion.question
    }
  }

  /// The device that is pending or is about to be.
  var device: DeviceID? {
    switch self {
    case .meeting, .counting, .asking, .agreed: nil
    case .storing(_, let peer): peer.keys.deviceID
    case .awaitingLastWord(let completion), .promoting(let completion): completion.device
    }
  }
}
