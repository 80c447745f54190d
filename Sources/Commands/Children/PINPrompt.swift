import LatchkeyModel

/// The questions for a PIN, whose answer the terminal does not show.
///
/// A PIN is never an argument, which other accounts of the machine could read.
enum PINPrompt {
  /// Returns the PIN that a person types or, without a terminal, the first line of standard input.
  ///
  /// Throws `TerminalFailure` for anything else than a PIN.
  static func ask(_ question: String) async throws -> String {
    let text = try await line(question)
    guard PIN(text) != nil else { throw TerminalFailure(.data, PIN.fault) }
    return text
  }

  /// Returns a new PIN, which a person types twice.
  static func askForNew(of child: String) async throws -> String {
    let first = try await ask("New PIN of \(child), 4 to 12 digits: ")
    guard TerminalEnvironment.current.console.inputIsTerminal else { return first }
    guard try await line("The same again: ") == first else {
      throw TerminalFailure(.data, "The two PINs differ, and nothing was changed: run the command again.")
    }
    return first
  }

  private static func line(_ question: String) async throws -> String {
    guard let typed = await HiddenPrompt.line(question) else {
      throw TerminalFailure(
        .noInput, "No PIN was given, and nothing was changed: type it, or pass it on standard input.")
    }
    return typed
  }
}
