import LatchkeyModel

extension RuleSet {
  /// The rules about points.
  public struct Points: Hashable, Sendable {
    public var use = PointsUse.payAsYouGo
    /// The minutes that a redeemed point buys.
    public var minutesPerPoint: Int64 = 1
    /// The most that learning earns a day, in milli-points.
    public var dailyCap: Int64?
    /// The most that learning earns a week, in milli-points.
    public var weeklyCap: Int64?
    /// The shortest session that earns, in minutes.
    public var minimumSession: Int64 = 0
    /// The days for which redeemed minutes can be used, the day of redemption included.
    public var redemptionDays: Int64 = 7

    /// Creates the rules of a family that has set none.
    public init() {}
  }
}

/// The kinds of rules about points.
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
      option: "Redeemed minutes can be used for 1 to 366 days: give a number such as 7."),
    name: "redeemed minutes last", setting: "redemptionDays")

  static let rows = [
    mode.row, use.row, minutesPerPoint.row, dailyCap.row, weeklyCap.row, minimumSession.row, redemptionDays.row,
  ]
}
