import LatchkeyModel

extension RuleSet {
  /// What counts as screen time.
  public struct ScreenTime: Hashable, Sendable {
    public var source = ScreenTimeSource.sessions
    /// The minutes after the last input for which somebody is taken to be there.
    public var graceMinutes: Int64 = 60
    public var learning = LearningTime.counts

    /// Creates the rules of a family that has set none.
    public init() {}
  }
}

/// The kinds of rules about what counts as screen time, and about unknown programs and sessions.
public enum ScreenTimeRule {
  public static let unknownPrograms = RuleKind(
    "unknownPrograms", \RuleSet.unknownPrograms,
    .choice(
      fault: "The treatment of unknown programs is {words}: give one of them.",
      words: [
        .count: Phrase("are allowed and counted as screen time"), .reward: Phrase("count as rewards"),
        .block: Phrase("are blocked"),
      ]), name: "unknown programs", effects: .closes, setting: "unknownPrograms")
  public static let programs = RuleKind(
    "programs", \RuleSet.programs,
    .choice(
      fault: "What may run is {words}: give one of them.",
      words: [
        .all: Phrase("all programs that no rule closes"),
        .listed: Phrase("only applications with a category or always allowed"),
      ]), name: "programs that may run", set: { _ in "= may run" }, effects: [.closes, .everything], setting: "programs"
  )
  public static let sessions = RuleKind(
    "sessions", \RuleSet.sessions,
    .choice(
      fault: "What is done about sessions is {words}: give one of them.",
      words: [
        .leave: Phrase("stay open"), .lock: Phrase("are locked"),
        .lockUnlessAllowed: Phrase("are locked unless a program runs that is always allowed"),
        .close: Phrase("are ended, and log-in is refused"),
      ]), name: "sessions when time is up", set: { _ in "when time is up, sessions =" }, effects: .closes,
    setting: "sessions")
  public static let source = RuleKind(
    "screenTime/source", \RuleSet.screenTime.source,
    .choice(
      fault: "What is measured as screen time is {words}: give one of them.",
      words: [.sessions: Phrase("all the time at a machine"), .programs: Phrase("the time of programs alone")]),
    name: "what counts as screen time", set: { _ in "screen time is =" }, effects: [.closes, .everything, .measured],
    setting: "screenTime")
  public static let grace = RuleKind(
    "screenTime/grace", \RuleSet.screenTime.graceMinutes,
    .number(
      1...240, .minutes,
      fault: "A child is taken to be there for 1 to 240 minutes after the last input: give a whole number.",
      option: """
        A child is taken to be there for 1 to 240 minutes after the last input: give a time such as 1h or 30min.
        """),
    name: "how long a child counts as being there",
    set: { _ in "a child counts as being there for = after the last input" },
    effects: [.closes, .everything, .measured], setting: "graceMinutes")
  public static let learning = RuleKind(
    "screenTime/learning", \RuleSet.screenTime.learning,
    .choice(
      fault: "What learning does to screen time is {words}: give one of them.",
      words: [.counts: Phrase("learning counts as screen time"), .free: Phrase("learning is no screen time")]),
    name: "learning and screen time", set: { _ in "=" }, effects: [.closes, .everything, .measured],
    setting: "learning")

  static let rows = [unknownPrograms.row, programs.row, sessions.row, source.row, grace.row, learning.row]
}
