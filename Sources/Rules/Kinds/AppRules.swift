import LatchkeyModel

extension RuleSet {
  public struct App: Hashable, Sendable {
    public var name: String?
    /// The category; `nil` if no parent set one.
    public var category: AppCategory?
    /// The rate in milli-points per minute; `nil` if no parent set one of its own.
    public var milliPointsPerMinute: Int64?
    /// A Boolean value that indicates whether the other rules of the application apply.
    public var isEnabled = true
    public var block = Block.no
    public var isAlwaysAllowed = false
    public var limit: DayLimits?
    /// When it may be used; `nil` for always.
    public var hours: WeekWindows?
    /// The matchers of its processes.
    public var matchers: [AppMatcher] = []
    /// The step that ends its use when its time is over.
    public var step = ClosingStep.close
    public var launches = Launches.counted
    /// The seconds between the request to end and the end.
    public var grace: Int64 = 5

    public init() {}

    public var isBlocked: Bool {
      get { block != .no }
      set { block = newValue ? .yes : .no }
    }

    /// The category with the rate; `nil` without a category.
    public var use: AppUse? { category.map { AppUse(category: $0, milliPointsPerMinute: milliPointsPerMinute) } }
  }
}

public enum AppRule {
  public static let name = RuleKind(
    "name", \RuleSet.App.name, .text(.displayName, "line, 1 to 255 bytes"), name: "#: name",
    set: { _ in "@ called =" }, removed: "@ called by its own name", effects: .closes)
  public static let category = RuleKind(
    "category", \RuleSet.App.category,
    .choice(fault: "A category is {words}: give one of them.", isLowercased: true, words: AppCategory.phrases),
    name: "#: category", set: { _ in "# =" }, removed: "no category set for #", effects: .closes)
  public static let rate = RuleKind(
    "rate", \RuleSet.App.milliPointsPerMinute, .rate, name: "#: points", set: { _ in "# =" },
    removed: "no points of its own for #", effects: .closes)
  public static let enabled = RuleKind(
    "enabled", \RuleSet.App.isEnabled, .flag, name: "#: rules in force",
    set: { $0 ? "rules of # switched on" : "rules of # switched off" }, removed: "rules of # not switched on or off",
    effects: .closes)
  public static let blocked = RuleKind(
    "blocked", \RuleSet.App.block, .block, name: "#: blocked",
    set: { $0 == .no ? "# not blocked" : $0 == .now ? "# blocked without time to save" : "# blocked" },
    removed: "no block set for #", effects: .closes)
  public static let allowed = RuleKind(
    "allowed", \RuleSet.App.isAlwaysAllowed, .flag, name: "#: always allowed",
    set: { $0 ? "# always allowed" : "# not always allowed" }, removed: "# not set as always allowed", effects: .closes)
  public static let limit = RuleKind(
    limit: "limit", \RuleSet.App.limit, .limitWithin, name: "#: limit a day", set: "# at most = a day",
    removed: "no limit a day on #")
  public static let hours = RuleKind(
    "hours", \RuleSet.App.hours, .windows(), name: "#: hours", set: { _ in "# only =" }, removed: "no hours set for #",
    effects: .closes)
  public static let matchers = RuleKind(
    "matchers", \RuleSet.App.matchers, .matchers, name: "#: how it is recognized",
    removed: "no matchers set for #, so that it is recognized as it is installed", effects: .closes)
  public static let step = RuleKind(
    "step", \RuleSet.App.step,
    .choice(
      fault: "What is done when time is over is {words}: give one of them.",
      words: [.close: Phrase("close"), .pause: Phrase("pause")]), name: "#: when its time is over",
    set: { $0 == .pause ? "# paused when its time is over" : "# closed when its time is over" },
    removed: "nothing set about how # ends when its time is over", effects: .closes)
  public static let launches = RuleKind(
    "launches", \RuleSet.App.launches,
    .choice(
      fault: "What it starts is {words}: give one of them.",
      words: [.counted: Phrase("counted"), .apart: Phrase("apart")]), name: "#: what it starts",
    set: { $0 == .apart ? "what # starts is apart" : "what # starts counts as #" },
    removed: "nothing set about what # starts", effects: .closes)
  public static let grace = RuleKind(
    "grace", \RuleSet.App.grace,
    .number(
      0...300, .seconds, fault: "The time to save is 0 to 300 seconds, which are 5 minutes: give a whole number.",
      option: "The time to save is at most 5 minutes: give a time such as 60s or 2m."), name: "#: time to save",
    set: { _ in "# has = to save when it is closed" }, removed: "no time to save set for #", effects: .closes)
}

extension RuleSet.App: RulePart {
  public static let place = "app/ID/"
  public static let rows = [
    AppRule.name.row, AppRule.category.row, AppRule.rate.row, AppRule.enabled.row, AppRule.blocked.row,
    AppRule.allowed.row, AppRule.limit.row, AppRule.hours.row, AppRule.matchers.row, AppRule.step.row,
    AppRule.launches.row, AppRule.grace.row,
  ]
  public static let table = indexed(rows)
}

extension RuleKind where Part == RuleSet.App { public func key(of app: AppID) -> RuleKey { RuleKey(.app(app, row)) } }

extension AppCategory {
  static let phrases: [AppCategory: Phrase] = [
    .learning: Phrase("learning"), .reward: Phrase("reward"), .neutral: Phrase("neutral"),
  ]
}

/// The effect of an application's use: its category, and its rate if it has one of its own.
///
/// Spec: Protocol/11-rules.md §1.
public struct AppUse: Hashable, Sendable {
  public var category: AppCategory
  /// The rate in milli-points per minute, 0 to 1,000,000,000; `nil` for the category's.
  public var milliPointsPerMinute: Int64?

  /// Creates a use; a rate is limited to the valid range.
  public init(category: AppCategory, milliPointsPerMinute: Int64? = nil) {
    self.category = category
    let rates = Limits.milliPointsPerMinute
    self.milliPointsPerMinute = milliPointsPerMinute.map { min(max($0, rates.lowerBound), rates.upperBound) }
  }
}

extension RuleForm<[AppMatcher]> {
  /// Matchers of processes: a line for each, with its kind, a space and its value.
  fileprivate static var matchers: Self {
    RuleForm(
      .form("matchers"), typed: read, text: { $0.map(\.text).joined(separator: "\n") },
      words: { matchers, _ in Phrase(verbatim: matchers.map(\.text).joined(separator: ", ")) })
  }

  private static func read(_ text: String) throws(RuleFault) -> [AppMatcher] {
    var matchers: [AppMatcher] = []
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
      guard let matcher = AppMatcher(text: line) else {
        let kinds = AppMatcher.Kind.allCases.map(\.rawValue).joined(separator: ", ")
        throw RuleFault(
          Phrase("A matcher is a kind, a space and a value: give one of the kinds {kinds}.", ["kinds": .text(kinds)]))
      }
      if let fault = TextRule.matcherValue.faultPhrase(in: matcher.value) { throw RuleFault(fault) }
      matchers.append(matcher)
      guard matchers.count <= 64 else { throw RuleFault("An application takes at most 64 matchers: leave out some.") }
    }
    guard matchers.reduce(0, { $0 + $1.value.utf8.count }) <= 16_384 else {
      throw RuleFault(
        "The values of an application's matchers must have at most 16,384 bytes together: leave out some.")
    }
    return matchers
  }
}
