import LatchkeyModel

extension RuleSet {
  public struct Points: Hashable, Sendable {
    public var use = PointsUse.payAsYouGo
    public var minutesPerPoint: Int64 = 1
    /// The most that learning earns a day, in milli-points.
    public var dailyCap: Int64?
    /// The most that learning earns a week, in milli-points.
    public var weeklyCap: Int64?
    /// The shortest session that earns, in minutes.
    public var minimumSession: Int64 = 0
    /// The days for which redeemed minutes can be used, the day of redemption included.
    public var redemptionDays: Int64 = 7

    public init() {}
  }
}

public enum PointsRule {
  public static let mode = RuleKind(
    "mode", \RuleSet.mode,
    .choice(
      fault: "The mode is {words}: give one of them.", given: [.points: "on", .limits: "off"],
      option: "Points are {words}: give one of them.",
      words: [.points: Phrase("on"), .limits: Phrase("off, limits and times alone")]), name: "points", setting: "mode")
  public static let use = RuleKind(
    "points/use", \RuleSet.points.use,
    .choice(
      fault: "The way of paying is {words}: give one of them.",
      words: [.payAsYouGo: Phrase("as they run"), .redeemFirst: Phrase("with minutes redeemed before")]),
    name: "rewards are paid", setting: "rewards")
  public static let minutesPerPoint = RuleKind(
    "points/minutesPerPoint", \RuleSet.points.minutesPerPoint,
    .number(
      1...1_440, .minutes, fault: "A point buys 1 to 1,440 minutes: give a whole number.",
      option: "A point buys 1 to 1,440 minutes: give a number such as 3."),
    name: "a redeemed point buys", setting: "minutesPerPoint")
  public static let dailyCap = RuleKind(
    "points/dailyCap", \RuleSet.points.dailyCap, .mostPoints, name: "points earned a day",
    removed: "no limit on points earned a day", setting: "dailyPointsLimit")
  public static let weeklyCap = RuleKind(
    "points/weeklyCap", \RuleSet.points.weeklyCap, .mostPoints, name: "points earned a week",
    removed: "no limit on points earned a week", setting: "weeklyPointsLimit")
  public static let minimumSession = RuleKind(
    "points/minimumSession", \RuleSet.points.minimumSession,
    .number(
      0...1_440, .minutes, fault: "The shortest session is 0 to 1,440 minutes: give a whole number.",
      option: "The shortest session is 0 to 1,440 minutes: give a number such as 5."),
    name: "shortest session that earns", setting: "minimumSessionMinutes")
  public static let redemptionDays = RuleKind(
    "points/redemptionDays", \RuleSet.points.redemptionDays,
    .number(
      1...366, .days, fault: "Redeemed minutes can be used for 1 to 366 days: give a whole number.",
      option: "Redeemed minutes can be used for 1 to 366 days: give a number such as 14."),
    name: "redeemed minutes last", setting: "redemptionDays")

  static let rows = [
    mode.row, use.row, minutesPerPoint.row, dailyCap.row, weeklyCap.row, minimumSession.row, redemptionDays.row,
  ]
}

extension RuleSet {
  public struct ScreenTime: Hashable, Sendable {
    public var source = ScreenTimeSource.sessions
    /// The minutes after the last input for which a child is taken to be there.
    public var graceMinutes: Int64 = 60
    public var learning = LearningTime.counts

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
        A child is taken to be there for 1 to 240 minutes after the last input: give a time such as 30min or 2h.
        """), name: "how long a child counts as being there",
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

/// The notices that a family's parents get, and their quiet hours.
public struct NoticeChoice: Hashable, Sendable {
  /// A child asks for something.
  public var requests = true
  /// A child has used up a limit.
  public var limits = true
  /// A child's machine is silent, or back again.
  public var machines = true
  /// Rules are weakened, or not in force.
  public var rules = true
  /// Another parent's machine has joined.
  public var parents = true
  public var reviews = true
  /// The hours without notices; `nil` for none.
  public var quiet: WeekWindows?

  public init() {}

  /// Returns the end of the quiet hours at a time, in Unix milliseconds; `nil` outside of them.
  public func quietEnd(at time: Int64, on day: FamilyDay, _ boundary: DayBoundary) -> Int64? {
    quiet.map { Intervals($0, exceptions: { _ in nil }, around: day, boundary) }?.end(at: time)
  }
}

/// The kinds of rules about notices for parents.
///
/// Spec: Protocol/11-rules.md §1.
public enum NoticeRule {
  private typealias Path = WritableKeyPath<RuleSet, Bool> & Sendable

  public static let requests = told("requests", \RuleSet.notices.requests, name: "notices of requests")
  public static let limits = told("limits", \RuleSet.notices.limits, name: "notices of limits that are used up")
  public static let machines = told("machines", \RuleSet.notices.machines, name: "notices of silent machines")
  public static let rules = told("rules", \RuleSet.notices.rules, name: "notices of rules that are weakened")
  public static let parents = told("parents", \RuleSet.notices.parents, name: "notices of other parents")
  public static let reviews = told("reviews", \RuleSet.notices.reviews, name: "notices of learning to review")
  public static let quiet = RuleKind(
    "family/notices/quiet", \RuleSet.notices.quiet, .windows(), zones: .family, name: "quiet hours of notices",
    removed: "no quiet hours of notices")

  private static func told(_ end: String, _ path: any Path, name: String) -> RuleKind<RuleSet, Bool> {
    RuleKind("family/notices/\(end)", path, .onOff, zones: .family, name: name, set: { _ in "\(name) are =" })
  }

  static let rows = [requests.row, limits.row, machines.row, rules.row, parents.row, reviews.row, quiet.row]
}
