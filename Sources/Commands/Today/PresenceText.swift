import LatchkeyModel
import LatchkeyNode

/// The conversation about who is there in an account that several children share.
enum PresenceText {
  /// Asks for a child's PIN, says that the child is there, and returns what holds now.
  static func name(_ child: String, _ interface: any NodeInterface, in language: Language) async throws -> String {
    // Everything but a wrong PIN is refused before a person types one.
    _ = try await interface.ask(Endpoints.setPresence, PresenceRequest(child: child, pin: nil))
    let question = ShownText.worded(Phrase("PIN of {child}: ", ["child": .text(child)]), in: language)
    var now = try await proven(child, by: PINPrompt.ask(question, in: language), interface, in: language)
    for attempt in 2...PINPrompt.attempts where now == nil {
      let pin = try await PINPrompt.ask(question, in: language)
      now = try await proven(child, by: pin, interface, in: language, isLast: attempt == PINPrompt.attempts)
    }
    guard let now else { return "" }
    let phrase = Phrase(
      """
      {child} is here now: {child}'s rules hold in this account and the time is {child}'s, until the log-out or \
      `latchkey me --leave`.
      """, ["child": .text(now.present?.text ?? child)])
    return ShownText.worded(phrase, in: language)
  }

  /// Returns what holds with a child who is there now; `nil` after a wrong PIN, if a person at a
  /// terminal may type another.
  private static func proven(
    _ child: String, by pin: String, _ interface: any NodeInterface, in language: Language, isLast: Bool = false
  ) async throws -> SharedAccount? {
    let console = TerminalEnvironment.current.console
    do { return try await interface.ask(Endpoints.setPresence, PresenceRequest(child: child, pin: pin)) } catch {
      // An error that names a time asks to wait.
      guard !isLast, console.inputIsTerminal, error.code == .forbidden, let phrase = error.phrase,
        !phrase.text.contains("{time}")
      else { throw error }
      console.note(ShownText.worded(phrase, in: language))
      return nil
    }
  }

  /// Returns what holds while nobody has said who is there, for the children and for their time.
  static func sentences(_ unnamed: UnnamedToday, in language: Language) -> [String] {
    var arguments: [String: Phrase.Argument] = [
      "state": .phrase(TodayText.phrase(unnamed.screen, at: unnamed.at, zone: unnamed.zone))
    ]
    var rest = Phrase("Until then the stricter rules hold. Screen time: {state}.", arguments)
    if unnamed.screen.isAllowed, let rule = unnamed.screen.reason {
      arguments["rule"] = .phrase(rule)
      rest = Phrase("Until then the stricter rules hold. Screen time: {state} ({rule}).", arguments)
    }
    return [unnamed.sentence, rest].map { ShownText.worded($0, in: language) }
  }

  /// Says that nobody is there, and returns what holds now.
  static func leave(_ interface: any NodeInterface, in language: Language) async throws -> String {
    let now = try await interface.ask(Endpoints.setPresence, PresenceRequest(child: nil, pin: nil))
    let phrase = Phrase(
      "Nobody is named here now: the stricter rules of {children} hold, and the time counts for each.",
      ["children": .list(now.children.map { .text($0.text) })])
    return ShownText.worded(phrase, in: language)
  }
}

/// Questions for a PIN, which the terminal does not show.
enum PINPrompt {
  /// How often a person is asked at a terminal, so that a second try is not typed into a shell.
  static let attempts = 3

  /// Returns the PIN that a person types or, without a terminal, the first line of standard input.
  ///
  /// - Throws: `TerminalFailure` for anything but a PIN; at a terminal, after `attempts` questions.
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

  /// Asks for a new PIN twice.
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
