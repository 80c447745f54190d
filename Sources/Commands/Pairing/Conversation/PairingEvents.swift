import LatchkeyModel
import LatchkeyNode

/// One queue for everything that can happen, read by one reader, so that nothing happens in the
/// middle of something else.
final class PairingEvents: Sendable {
  private let stream: AsyncStream<PairingEvent>
  private let continuation: AsyncStream<PairingEvent>.Continuation

  private init() {
    // Each source waits for its next event, so that there are never this many.
    (stream, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(256))
  }

  /// Runs `body` with a queue that receives Ctrl-C and changes of the terminal's size.
  static func during<Value: Sendable>(
    console: any Console, _ body: (PairingEvents) async throws -> Value
  ) async throws -> Value {
    let events = PairingEvents()
    // Watched from here on, not from when a task comes to it.
    let (interrupts, resizes) = (console.interrupts(), console.resizes())
    return try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { for await _ in interrupts { events.send(.interrupted) } }
      group.addTask { for await _ in resizes { events.send(.resized) } }
      defer { group.cancelAll() }
      return try await body(events)
    }
  }

  func send(_ event: PairingEvent) { continuation.yield(event) }

  /// Returns the next event, to one reader at a time; throws `CancellationError`.
  func next() async throws -> PairingEvent {
    for await event in stream { return event }
    throw CancellationError()
  }

  /// Sends each change of a pairing until it ends or the node cannot be reached.
  ///
  /// It continues after a restart of the node, for which it waits as long as the environment says.
  func watch(_ first: PairingProgress, at node: any NodeInterface, _ environment: TerminalEnvironment) async {
    let step = Duration.milliseconds(500)
    var change = first.change
    var waited = Duration.zero
    while !Task.isCancelled {
      do {
        let progress = try await node.ask(Endpoints.waitForPairing, (first.pairingID, change))
        guard !Task.isCancelled else { return }
        waited = .zero
        change = progress.change
        send(.progressed(progress))
        if progress.phase == .ended { return }
      } catch {
        guard !Task.isCancelled else { return }
        guard error.code == .timeout, waited < environment.reportPatience else { return send(.failed(error)) }
        if waited == .zero { send(.nodeLost) }
        waited += step
        // A node that was started again counts its changes from the beginning.
        change = 0
        do { try await environment.pause(step) } catch { return }
      }
    }
  }
}

enum PairingEvent: Sendable {
  /// Ctrl-C.
  case interrupted
  case resized
  /// About a second has passed.
  case ticked
  /// The node reported the progress of the pairing.
  case progressed(PairingProgress)
  /// The node does not answer, and is asked again.
  case nodeLost
  /// The node cannot be reached any more, for a reason that no repetition removes.
  case failed(LocalAPIError)
  /// A line for the question with that number; `nil` at the end of the input.
  case typed(String?, question: Int)
  /// Keys typed while a code is entered; `nil` at the end of the input.
  case keys([UInt8]?)
  /// The open codes on the network.
  case found(NearbyInvitations)
}

/// A question that one line of input answers, and that can be withdrawn.
struct LineQuestion: Sendable {
  let number: Int
  private let withdrawn: AsyncStream<Void>
  private let withdrawing: AsyncStream<Void>.Continuation

  init(number: Int) {
    self.number = number
    (withdrawn, withdrawing) = AsyncStream.makeStream()
  }

  /// Reads a line from the console and sends it to `events`, unless the question is withdrawn.
  func read(from console: any Console, to events: PairingEvents) async {
    await withTaskGroup(of: Bool.self) { group in
      group.addTask {
        let line = await console.readLine()
        guard !Task.isCancelled else { return false }
        events.send(.typed(line, question: number))
        return true
      }
      group.addTask {
        for await _ in withdrawn {}
        return false
      }
      _ = await group.next()
      group.cancelAll()
    }
  }

  /// Ends the wait for the line; one that has been read already may still arrive.
  func withdraw() { withdrawing.finish() }
}

/// The person or rule that accepts the other machine.
enum PairingConsent: Hashable, Sendable {
  case beforehand
  case person
  /// A program, with a line that is exactly the six digits.
  case digitLine
  /// The caller, who named the digits with the command.
  case digits(String)

  var readsLine: Bool { self == .person || self == .digitLine }

  /// The answer that a line gives; the end of the input is a no.
  func accepts(_ line: String?, digits: String?) -> Bool {
    switch self {
    case .beforehand: true
    case .person: Self.isYes(line)
    case .digitLine: line != nil && line == digits
    case .digits(let expected): expected == digits
    }
  }

  /// Returns whether an answer means yes; any other answer means no, and so does none.
  static func isYes(_ line: String?) -> Bool { ["y", "yes"].contains(word(line)) }

  /// Returns whether an answer is unclear, so that the question is repeated; no answer means no.
  func isUnclear(_ line: String?) -> Bool { self == .person && !["y", "yes", "n", "no", ""].contains(Self.word(line)) }

  private static func word(_ line: String?) -> String { (line ?? "").lowercased().filter { !$0.isWhitespace } }
}

/// How a pairing ended, as told to the person and to scripts.
struct PairingEnd: Sendable {
  let progress: PairingProgress
  var refusedHere = false
  /// The digits that the command named, and those that came.
  var expectedDigits: String?
  var shownDigits: String?

  var status: ExitStatus { progress.outcome.map { ExitStatus($0) } ?? .internalFault }

  /// The outcome and the next step.
  var sentence: String {
    switch progress.outcome {
    case nil: "The pairing ended without an outcome: look at what `latchkey run` prints."
    case .ok: paired
    case .refused: refused
    case let outcome?: ShownText.safe(progress.sentence ?? outcome.sentence)
    }
  }

  private var paired: String {
    let paired = progress.pairedPhrase.worded()
    return switch (progress.part, progress.device?.role ?? progress.peerRole) {
    case (.inviter, .parent?): "\(paired) Next: look at `latchkey status`."
    case (.inviter, _):
      "\(paired) Next: set a rule, such as `latchkey limit set --daily 2h`, with --child if there are several."
    case (.joiner, _): "\(paired) Next: leave `latchkey run` running; `latchkey status` shows how it stands."
    }
  }

  private var refused: String {
    if refusedHere, let expectedDigits, let shownDigits {
      return "The digits are \(shownDigits) and not the expected \(expectedDigits), so the other machine was refused: "
        + "look at the digits that it shows, and start again with a new code."
    }
    if let refusal = progress.refusal(isHere: refusedHere) { return refusal.worded() }
    if refusedHere {
      return "You said no: nothing was changed; run `latchkey pair` on both machines when it is the right one."
    }
    return ShownText.safe(progress.sentence ?? PairingOutcome.refused.sentence)
  }

  /// Prints the outcome on standard error, the wizard's in lines that fit the terminal; throws
  /// `TerminalFailure` unless the two machines are paired.
  func tell(_ console: any Console, isWizard: Bool = false) throws(TerminalFailure) {
    guard status == .ok else {
      let isCancelled = isWizard && progress.outcome == .cancelled
      let who = isCancelled ? " Neither machine is paired with the other, unless it was before." : ""
      throw TerminalFailure(status, sentence + who)
    }
    if isWizard { console.noteWrapped(sentence) } else { console.note(sentence) }
  }
}

/// An event of a pairing for programs; `event` says which members are there.
struct PairingRecord: Hashable, Sendable, Codable {
  enum Event: String, Hashable, Sendable, Codable {
    /// `code`, `typedCode`, `expiresInMilliseconds`, `failuresLeft`, `childName`?.
    case code
    /// A machine has the code and wants a yes or a no: `name`, `role`, `digits`, `attempt`.
    case request
    /// The machine has left again: `attempt`.
    case withdrawn
    /// A wrong code was entered: `failuresLeft`.
    case failure
    /// The pairing has ended: `outcome`, `sentence`, `device`?.
    case result
  }

  var event: Event
  var pairingID: String?
  var code: String?
  var typedCode: String?
  var expiresInMilliseconds: Int64?
  var failuresLeft: Int?
  var childName: String?
  var name: DeviceName?
  var role: DeviceRole?
  var digits: String?
  var attempt: Int?
  var outcome: PairingOutcome?
  var sentence: String?
  var device: RegisteredDevice?
}
