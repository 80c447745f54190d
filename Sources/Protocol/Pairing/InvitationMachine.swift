import LatchkeyModel

/// The life of one pairing code on the inviter: open, used by one joiner after another, and closed.
///
/// A pure value: its owner performs the effects of each input in order. `Line` is the connection that frames are sent on.
/// What a joiner says goes through a `PairingInviterMachine`, one for each attempt.
///
/// Spec: Protocol/03-pairing.md §2, §5 and §7, with the state diagram in §9.
public struct InvitationMachine<Line: Sendable>: Sendable {
  /// The effects that the machine's owner performs.
  public enum Effect: Sendable {
    case send([UInt8], Line)
    /// The joiner has the code: lift what limits strangers.
    case lift(Line)
    /// Close the connection once everything has been sent.
    case close(Line)
    /// Make the peer durable as pending; then call `stored` or `notStored` for the attempt.
    case storePending(PairedPeer, Int)
    /// Make the peer durable as active and the code as spent; then call `promoted` or `notPromoted` for the attempt.
    case promote(PairedPeer, Int)
    /// The peer is active: tell whatever else has to know in this node, then call `welcomed`.
    case welcome(PairedPeer)
    /// Forget the pending peer, durably.
    case discard(DeviceID)
    /// Remove the device, durably and signed; then call `removed`.
    case remove(DeviceID)
    /// Count a wrong guess, durably; then call `counted` for the attempt.
    case countFailure(Line, Int)
    /// A joiner left before it had proved anything: slow it down.
    case abandoned(Line)
    /// The code is closed: make that durable unless the outcome is `ok`, which is so already, and announce it no more.
    case ended(PairingOutcome)
  }

  /// What exists only while the code is open.
  struct Open: Sendable {
    let pasted: PairingCode
    let typed: TypedCode?
    let deadline: BootInstant
    /// The device that the last attempt left half paired: a session of it within a minute completes the pairing.
    var half: DeviceID?
    /// How the last attempt ended.
    var last: PairingOutcome?
  }

  /// How far the attempt under way has got.
  enum Stage: Sendable {
    /// The joiner has not yet proved who it is.
    case meeting
    /// A wrong guess is being counted; the rest waits until that is durable.
    case refusing(rest: [PairingEffect])
    case asking(PairingQuestion)
    case storing(PairingQuestion, PairedPeer)
    case awaitingAcknowledgement(PairingQuestion, HalfPairing)
    /// Past return.
    case promoting(PairingCompletion)
  }

  /// The joiner that uses the code now.
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
    /// The device is active, durably, and the joiner was told; what is left is of this machine alone.
    case completing(PairingCompletion)
    /// The person broke off too late: the device is being removed again.
    case undoing(PairingCompletion, RegisteredDevice?)
    case ended(EndedPairing)
  }

  var phase: Phase
  var failures: Int
  /// Attempts so far, and those of them that got as far as a question.
  private var attempts = 0
  var questions = 0
  let first: PairingProgress

  /// Opens a code.
  ///
  /// - Parameters:
  ///   - failures: wrong guesses counted before, in an earlier run of the node.
  ///   - half: the device that an attempt of an earlier run left half paired.
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

  /// Takes a joiner that has said something; `nil` when the code's one place is taken or the code is closed.
  ///
  /// - Returns: the number of the attempt.
  public mutating func connected(_ line: Line, _ machine: @autoclosure () -> PairingInviterMachine) -> Int? {
    guard case .open(let open) = phase else { return nil }
    attempts += 1
    phase = .attempt(Attempt(number: attempts, line: line, machine: machine(), open: open))
    return attempts
  }

  /// Takes a frame of the joiner.
  public mutating func received(_ frame: [UInt8], in number: Int) -> [Effect] {
    guard var attempt = attempt(number) else { return [] }
    let effects = attempt.machine.received(frame)
    return follow(effects, attempt)
  }

  /// Takes note that the joiner's connection is gone, or that it took too long.
  public mutating func lost(_ number: Int) -> [Effect] {
    guard var attempt = attempt(number) else { return [] }
    var effects: [Effect] = []
    if case .meeting = attempt.stage, !attempt.machine.isProven { effects.append(.abandoned(attempt.line)) }
    let last = attempt.machine.connectionLost()
    return effects + follow(last, attempt)
  }

  /// Takes the number of wrong guesses so far, durably counted; the last of them closes the code.
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

  /// Goes on with what the attempt's machine asks for.
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

  /// Ends an attempt; the code stays open unless a person refused.
  private mutating func over(_ attempt: Attempt, _ outcome: PairingOutcome, _ isDiscarded: Bool) -> [Effect] {
    if outcome == .refused { return [.close(attempt.line)] + end(outcome, attempt.stage.question) }
    var open = attempt.open
    // What the store is still at will be there in a moment.
    if let device = attempt.stage.device { open.half = isDiscarded ? nil : device }
    open.last = outcome
    phase = .open(open)
    return [.close(attempt.line)]
  }

  /// Ends an attempt, whatever becomes of the code.
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
  /// What the person was asked about this joiner.
  var question: PairingQuestion? {
    switch self {
    case .meeting, .refusing: nil
    case .asking(let question), .storing(let question, _), .awaitingAcknowledgement(let question, _): question
    case .promoting(let completion): completion.question
    }
  }

  /// The device that is pending or about to be.
  var device: DeviceID? {
    switch self {
    case .meeting, .refusing, .asking: nil
    case .storing(_, let peer): peer.keys.deviceID
    case .awaitingAcknowledgement(_, let half): half.device
    case .promoting(let completion): completion.half.device
    }
  }
}
