import LatchkeyModel

/// The life of one join: looking for the inviter, one attempt after another, and what becomes of the last one.
///
/// A pure value: its owner performs the effects of each input in order. `Line` is the connection that frames are sent on.
/// What an inviter says goes through a `PairingJoinerMachine`, one for each attempt; where to try is up to a `JoinSearch`.
///
/// Spec: Protocol/03-pairing.md §5 and §7, with the state diagram in §9.
public struct JoinMachine<Line: Sendable>: Sendable {
  /// The effects that the machine's owner performs.
  public enum Effect: Sendable {
    case send([UInt8], Line)
    /// The inviter has the code: lift what limits strangers.
    case lift(Line)
    /// Close the connection once everything has been sent.
    case close(Line)
    /// Make the peer durable as pending; then call `stored` or `notStored` for the attempt.
    case storePending(PairedPeer, Line, Int)
    /// Make the peer durable as active; then call `promoted` or `notPromoted` for the attempt.
    case promote(PairedPeer, Line, Int)
    /// The peer is active: tell whatever else has to know in this node, then call `welcomed`.
    case welcome(PairedPeer)
    /// Look whether a session has completed the pairing; then call `completed`, `lapsed` or, if it can still do so, `doubted`.
    case settle(PairedPeer)
    /// Make the peer active although the last word is missing; then call `forced` if that was possible.
    case force(DeviceID)
    /// Forget the pending peer, durably.
    case discard(DeviceID)
    /// Remove the device, durably and signed; then call `removed`.
    case remove(DeviceID)
    /// Count a run of the typed code, durably; then call `counted` or `notCounted` for the attempt.
    case countRun(Int)
    /// Take that back: it was the inviter who answered.
    case creditRun
    /// The join is over.
    case ended(PairingOutcome)
  }

  /// How far the attempt under way has got.
  enum Stage: Sendable {
    /// The other machine has not yet proved that it is the inviter.
    case meeting
    /// A run of the typed code is being counted; the next frame waits until that is durable.
    case counting(rest: [PairingEffect])
    case asking(PairingQuestion)
    /// The person here said yes; the inviter's has not.
    case agreed(PairingQuestion)
    case storing(PairingQuestion, PairedPeer)
    /// Past return, as is the next one.
    case awaitingDone(PairingCompletion)
    case promoting(PairingCompletion)
  }

  /// The machine that is tried now.
  struct Attempt: Sendable {
    let number: Int
    let line: Line
    var machine: PairingJoinerMachine
    var stage = Stage.meeting
  }

  enum Phase: Sendable {
    /// No machine is being tried; with the outcome of the last attempt.
    case searching(last: PairingOutcome?)
    case attempt(Attempt)
    /// The connection was lost before the last word: a session of the inviter within a minute may still bring it.
    case inDoubt(PairingCompletion)
    /// The device is active, durably; what is left is of this machine alone.
    case completing(PairingCompletion)
    /// The person broke off too late: the device is being removed again.
    case undoing(PairingCompletion, RegisteredDevice?)
    case ended(EndedPairing)
  }

  var phase = Phase.searching(last: nil)
  private var attempts = 0
  var questions = 0
  /// What the search has come upon.
  public private(set) var hint: JoinHint?
  let first: PairingProgress

  /// Begins a join.
  ///
  /// - Parameter discriminator: the code's.
  public init(pairingID: String, discriminator: UInt16) {
    first = PairingProgress(
      pairingID: pairingID, phase: .waiting, change: 1, part: .joiner,
      prefix: TypedCode.prefix(discriminator: discriminator))
  }

  /// Takes a connection to a machine that may be the inviter; `nil` when the join is over.
  ///
  /// - Returns: the number of the attempt.
  public mutating func connected(_ line: Line, _ machine: PairingJoinerMachine) -> Int? {
    guard case .searching = phase else { return nil }
    attempts += 1
    phase = .attempt(Attempt(number: attempts, line: line, machine: machine))
    return attempts
  }

  /// Takes a frame of the other machine.
  public mutating func received(_ frame: [UInt8], in number: Int) -> [Effect] {
    guard var attempt = attempt(number) else { return [] }
    let effects = attempt.machine.received(frame)
    return follow(effects, attempt)
  }

  /// Takes note that the connection is gone, or that the other machine took too long.
  public mutating func lost(_ number: Int) -> [Effect] {
    guard var attempt = attempt(number) else { return [] }
    let effects = attempt.machine.connectionLost()
    return follow(effects, attempt)
  }

  /// Takes note of something that the search has come upon; `nil` when it is out of date.
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

  /// Ends an attempt. An outcome that comes from the inviter itself ends the join; any other is left to the search.
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
  /// What the person was asked about this inviter.
  var question: PairingQuestion? {
    switch self {
    case .meeting, .counting: nil
    case .asking(let question), .agreed(let question), .storing(let question, _): question
    case .awaitingDone(let completion), .promoting(let completion): completion.question
    }
  }
}
