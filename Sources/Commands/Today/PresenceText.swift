import LatchkeyModel
import LatchkeyNode

/// The conversation about who is there in an account that several children share.
enum PresenceText {
  /// Asks for a child's PIN, names that child as the one who is there, and returns what holds now.
  static func name(
    _ child: String, _ interface: any NodeInterface, in language: Language
  ) async throws -> String {
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

  /// Returns what holds with a child who is there now; `nil` after a wrong PIN, of which a person
  /// at a terminal is told and may type another.
  private static func proven(
    _ child: String, by pin: String, _ interface: any NodeInterface, in language: Language, isLast: Bool = false
  ) async throws -> SharedAccount? {
    let console = TerminalEnvironment.current.console
    do {
      return try await interface.ask(Endpoints.setPresence, PresenceRequest(child: child, pin: pin))
    } catch {
      // An error that names a time asks to wait.
      guard !isLast, console.inputIsTerminal, error.code == .forbidden, let phrase = error.phrase,
        !phrase.text.contains("{time}")
      else { throw error }
      console.note(ShownText.worded(phrase, in: language))
      return nil
    }
  }

  /// Returns what holds while nobody has said who is there: a sentence about the children, and one
  /// about their time.
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
