import LatchkeyModel

/// The questions for a PIN, whose answer the terminal does not show.
///
/// A PIN is never an argument, which other accounts of the machine could read.
enum PINPrompt {
  /// How often a person is asked at a terminal, so that what follows a slip is not typed into a
  /// shell, which shows and keeps it.
  static let attempts = 3

  /// Returns the PIN that a person types or, without a terminal, the first line of standard input.
  ///
  /// At a terminal, whoever types anything else is asked again.
  ///
  /// - Parameters:
  ///   - question: The question.
  ///   - language: The language of the person.
  /// - Returns: The PIN.
  /// - Throws: `TerminalFailure` for anything else than a PIN.
  static func ask(_ question: String, in language: Language = .english) async throws -> String {
    let console = TerminalEnvironment.current.console
    let text = try await line(question, in: language)
    if PIN(text) != nil { return text }
    for _ in 1..<(console.inputIsTerminal ? attempts : 1) {
      console.note(ShownText.worded(PIN.faultPhrase, in: language))
      let text = try await line(question, in: language)
      if PIN(text) != nil { return text }
    }
    let fault = Phrase("A PIN has 4 to 12 digits and nothing else. Nothing was changed: run the command again.")
    throw TerminalFailure(.data, ShownText.worded(fault, in: language))
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

  private static func line(_ question: String, in language: Language = .english) async throws -> String {
    guard let typed = await HiddenPrompt.line(question) else {
      let sentence = Phrase("No PIN was given, and nothing was changed: type it, or pass it on standard input.")
      throw TerminalFailure(.noInput, sentence.worded(in: language))
    }
    return typed
  }
}
