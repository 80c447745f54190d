/// A question that one line of input answers, and that can be withdrawn.
struct LineQuestion: Sendable {
  let number: Int
  private let withdrawn: AsyncStream<Void>
  private let withdrawing: AsyncStream<Void>.Continuation

  init(number: Int) {
    self.number = number
    (withdrawn, withdrawing) = AsyncStream.makeStream()
  }

  /// Reads a line from the console and sends it to `events`; sends nothing if the question is
  /// withdrawn before.
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

  /// Ends the wait for the line.
  ///
  /// A line that has been read already may still arrive.
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

  /// A Boolean value that indicates whether a line of input is needed.
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

  /// Returns whether an answer means yes; any other answer, including none, means no.
  static func isYes(_ line: String?) -> Bool { ["y", "yes"].contains(word(line)) }

  /// Returns whether an answer is unclear, so that the question is repeated; no answer means no.
  func isUnclear(_ line: String?) -> Bool { self == .person && !["y", "yes", "n", "no", ""].contains(Self.word(line)) }

  private static func word(_ line: String?) -> String { (line ?? "").lowercased().filter { !$0.isWhitespace } }
}

/// A question of the wizard that a line answers.
struct WizardPrompt {
  let console: any Console
  let events: PairingEvents

  /// Asks a question and returns the line; throws `TerminalFailure` if the person leaves with
  /// Ctrl-C or Ctrl-D.
  func line(_ text: String) async throws -> String {
    let columns = console.size.columns
    let lines = WrappedText.lines(text, columns: columns - 1)
    for line in lines.dropLast() { console.note(line) }
    console.prompt((lines.last ?? "") + " ")
    let question = LineQuestion(number: 0)
    return try await withThrowingTaskGroup(of: Void.self) { group in
      defer { group.cancelAll() }
      group.addTask { await question.read(from: console, to: events) }
      while true {
        switch try await events.next() {
        case .typed(let line?, 0): return line
        case .typed(nil, 0), .interrupted:
          console.prompt("\n")
          throw Self.left
        default: break
        }
      }
    }
  }

  /// The person left before anything was begun.
  static let left = TerminalFailure(
    .tryAgain, "Cancelled: nothing was begun, and neither machine was changed; run `latchkey pair` to start again.")
}
