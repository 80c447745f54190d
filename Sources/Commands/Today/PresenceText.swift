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
    let pin = try await PINPrompt.ask(
      ShownText.worded(Phrase("PIN of {child}: ", ["child": .text(child)]), in: language))
    let now = try await interface.ask(Endpoints.setPresence, PresenceRequest(child: child, pin: pin))
    let phrase = Phrase(
      """
      {child} is here now: {child}'s rules hold in this account and the time is {child}'s, until the log-out or \
      `latchkey me --leave`.
      """, ["child": .text(now.present?.text ?? child)])
    return ShownText.worded(phrase, in: language)
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
