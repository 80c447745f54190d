import LatchkeyModel
import LatchkeyNode

/// The conversation about who is there in an account that several children share.
enum PresenceText {
  /// Asks for a child's PIN, names that child as the one who is there, and returns what holds now.
  static func name(_ child: String, _ interface: any NodeInterface) async throws -> String {
    // Everything but a wrong PIN is refused before a person types one.
    _ = try await interface.ask(Endpoints.setPresence, PresenceRequest(child: child, pin: nil))
    let pin = try await PINPrompt.ask("PIN of \(ShownText.safe(child)): ")
    let now = try await interface.ask(Endpoints.setPresence, PresenceRequest(child: child, pin: pin))
    let name = ShownText.safe(now.present?.text ?? child)
    return "\(name) is here now: \(name)'s rules hold in this account and the time is \(name)'s, until the log-out or "
      + "`latchkey me --leave`."
  }

  /// Returns what holds while nobody has said who is there: a sentence about the children, and one
  /// about their time.
  static func sentences(_ unnamed: UnnamedToday) -> [String] {
    let whose = unnamed.screen.isAllowed ? unnamed.screen.reason.map { " (\(ShownText.safe($0)))" } ?? "" : ""
    let words = TodayText.words(unnamed.screen, at: unnamed.at, zone: unnamed.zone)
    return [ShownText.safe(unnamed.sentence), "Until then the stricter rules hold. Screen time: \(words)\(whose)."]
  }

  /// Says that nobody is there, and returns what holds now.
  static func leave(_ interface: any NodeInterface) async throws -> String {
    let now = try await interface.ask(Endpoints.setPresence, PresenceRequest(child: nil, pin: nil))
    let names = ShownText.list(now.children.map { ShownText.safe($0.text) })
    return "Nobody is named here now: the stricter rules of \(names) hold, and the time counts for each."
  }
}
