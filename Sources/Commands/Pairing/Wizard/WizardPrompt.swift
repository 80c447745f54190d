import LatchkeyModel

/// A question of the wizard that a line answers.
struct WizardPrompt {
  let console: any Console
  let events: PairingEvents

  /// Asks a question and returns the line; throws `TerminalFailure` if the person leaves with Ctrl-C or Ctrl-D.
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
