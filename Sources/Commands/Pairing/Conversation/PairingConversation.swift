import LatchkeyModel
import LatchkeyNode

/// Follows a pairing to its end, and answers for the person, or asks them.
struct PairingConversation {
  let node: any NodeInterface
  let environment: TerminalEnvironment
  let events: PairingEvents
  let consent: PairingConsent
  var view: PairingView

  /// How it stands, as the node said last.
  private var progress: PairingProgress
  private let before: Set<RegisteredDevice>
  /// The time at which the code expires, in milliseconds of the environment's clock.
  private var deadline: Int64?
  /// The machine that is there, by its `attempt`.
  private var met: Int?
  private var question: LineQuestion?
  /// The machine whose question got an answer that was neither yes nor no, by its `attempt`.
  private var unclear: Int?
  private var wasInterrupted = false
  private var nodeIsLost = false
  /// The node's last statement about a step that has not ended.
  private var told: String?
  private var refusedHere = false
  private var shownDigits: String?

  /// Begins with the node's answer to the request that began the pairing.
  init(
    _ first: PairingProgress, node: any NodeInterface, environment: TerminalEnvironment, events: PairingEvents,
    consent: PairingConsent, style: PairingView.Style
  ) async {
    self.node = node
    self.environment = environment
    self.events = events
    self.consent = consent
    view = PairingView(console: environment.console, style: style)
    progress = first
    before = first.phase == .ended ? [] : Set(((try? await node.ask(Endpoints.getDevices)) ?? []).map(\.device))
  }

  /// Follows the pairing to its end; cancels it at the node on Ctrl-C or any other early end.
  ///
  /// Throws `TerminalFailure` if the outcome is unknown.
  mutating func follow() async throws -> PairingEnd {
    let end: PairingEnd
    do { end = try await wait() } catch {
      // No person would answer for the code any more.
      if !wasInterrupted { _ = try? await node.ask(Endpoints.cancelPairing, progress.pairingID) }
      throw error
    }
    try view.result(end.progress.outcome, end.sentence, end.progress.device)
    return end
  }

  private mutating func wait() async throws -> PairingEnd {
    try await withThrowingTaskGroup(of: Void.self) { group in
      defer { group.cancelAll() }
      let (first, node, events, environment) = (progress, node, events, environment)
      if first.phase != .ended { group.addTask { await events.watch(first, at: node, environment) } }
      group.addTask {
        while (try? await environment.pause(.seconds(1))) != nil { events.send(.ticked) }
      }
      note(first)
      try view.began(first)
      try await react(to: first, &group)
      while progress.phase != .ended { try await take(try await events.next(), &group) }
      question?.withdraw()
      try view.ended(progress)
      return end
    }
  }

  private var end: PairingEnd {
    var expected: String?
    if case .digits(let digits) = consent { expected = digits }
    return PairingEnd(progress: progress, refusedHere: refusedHere, expectedDigits: expected, shownDigits: shownDigits)
  }

  private mutating func take(_ event: PairingEvent, _ group: inout ThrowingTaskGroup<Void, any Error>) async throws {
    switch event {
    case .interrupted: try await cancel()
    case .resized: try view.resized()
    case .ticked: try view.ticked(remaining: deadline.map { max(0, $0 - environment.uptime()) })
    case .progressed(let next): try await moved(to: next, &group)
    case .nodeLost:
      nodeIsLost = true
      try withdraw()
      try view.node(isThere: false)
    case .failed(let error): progress = try await end(after: error)
    case .typed(let line, let number):
      guard let question, question.number == number, met == number else { return }
      self.question = nil
      if consent.isUnclear(line), unclear != number {
        unclear = number
        try view.unclear()
        return ask(number, &group)
      }
      try await answer(consent.accepts(line, digits: progress.digits))
    case .keys, .found: break
    }
  }

  private mutating func moved(
    to next: PairingProgress, _ group: inout ThrowingTaskGroup<Void, any Error>
  ) async throws {
    let failuresBefore = progress.failuresLeft
    if nodeIsLost {
      nodeIsLost = false
      try view.node(isThere: true)
    }
    note(next)
    if let left = next.failuresLeft, let failuresBefore, left < failuresBefore, next.phase != .ended {
      try view.guessed(failuresLeft: left)
    }
    try await react(to: next, &group)
  }

  /// Shows the news about the other machine, and asks the person about it.
  private mutating func react(
    to next: PairingProgress, _ group: inout ThrowingTaskGroup<Void, any Error>
  ) async throws {
    if met != nil, next.phase == .waiting || (next.phase == .asking && next.attempt != met) {
      try withdraw()
      try view.lost(next)
    }
    // With an answer given beforehand the question may be over before it is seen.
    let isThere = next.phase == .asking || (next.phase == .committing && next.digits != nil)
    if isThere, met != next.attempt { try await meet(next, &group) }
    let isHint = next.phase == .waiting && next.part == .joiner
    if isHint || next.phase == .committing, told != next.sentence, let sentence = next.sentence {
      told = sentence
      try view.doubts(sentence)
    }
  }

  private mutating func note(_ next: PairingProgress) {
    progress = next
    deadline = next.expiresInMilliseconds.map { environment.uptime() + $0 }
  }

  private mutating func meet(_ next: PairingProgress, _ group: inout ThrowingTaskGroup<Void, any Error>) async throws {
    (met, shownDigits) = (next.attempt, next.digits)
    let asks = consent.readsLine && next.phase == .asking
    try view.met(next, asks: asks)
    guard asks else {
      if consent != .beforehand, next.phase == .asking { try await answer(consent.accepts(nil, digits: next.digits)) }
      return
    }
    ask(next.attempt, &group)
  }

  private mutating func ask(_ number: Int, _ group: inout ThrowingTaskGroup<Void, any Error>) {
    let question = LineQuestion(number: number)
    self.question = question
    let (console, events) = (environment.console, events)
    group.addTask { await question.read(from: console, to: events) }
  }

  private mutating func withdraw() throws {
    question?.withdraw()
    if question != nil, consent == .person { environment.console.forgetInput() }
    question = nil
    met = nil
  }

  private mutating func answer(_ accepts: Bool) async throws {
    refusedHere = !accepts
    try view.answered(progress, accepts: accepts)
    do {
      let next = try await node.ask(
        Endpoints.answerPairing, (progress.pairingID, PairingAnswer(accept: accepts, attempt: progress.attempt)))
      note(next)
    } catch {
      // It went on without an answer, or the node is gone: the watch tells which.
      guard error.code == .tooLate || error.code == .timeout else { throw error }
    }
  }

  /// If it is too late to cancel, the node undoes the pairing, which takes a moment.
  private mutating func cancel() async throws {
    guard !wasInterrupted else {
      throw TerminalFailure(
        .tryAgain,
        "You left before it was clear how the pairing ended: look at `latchkey devices list`, and remove what should not "
          + "be there with `latchkey devices unpair`.")
    }
    wasInterrupted = true
    question?.withdraw()
    question = nil
    do {
      note(try await node.ask(Endpoints.cancelPairing, progress.pairingID))
    } catch {
      throw TerminalFailure(
        ExitStatus(error.code),
        "The pairing could not be cancelled, and its code stays open until its time is up: \(error.message)")
    }
  }

  /// Finds out what came of a pairing that the node, most likely started again, no longer knows.
  private func end(after error: LocalAPIError) async throws -> PairingProgress {
    guard error.code == .unknownPairing || error.code == .timeout else { throw error }
    if let devices = try? await node.ask(Endpoints.getDevices).map(\.device),
      let device = devices.first(where: { device in
        device.state == .active
          && !before.contains {
            $0.deviceID == device.deviceID && $0.pairedAt == device.pairedAt && $0.state == .active
          }
      })
    {
      var ended = progress
      (ended.phase, ended.outcome, ended.device) = (.ended, .ok, device)
      return ended
    }
    guard error.code == .unknownPairing else {
      throw TerminalFailure(
        .unavailable,
        "The node of this machine stopped before the pairing was complete: start `latchkey run`, look at "
          + "`latchkey devices list` a minute later, and pair again if the other machine is not there.")
    }
    throw TerminalFailure(
      .tryAgain,
      "The node of this machine was started again before the pairing was complete: look at `latchkey devices list` in a "
        + "minute, and pair again if the other machine is not there.")
  }
}
