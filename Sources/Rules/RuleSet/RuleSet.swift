import LatchkeyModel

/// The rules of one child, as read from the registers that a machine holds.
///
/// Spec: Protocol/11-rules.md §2.
public struct RuleSet: Hashable, Sendable, RulePart {
  /// The rate of an application if no parent set any: one point a minute, in milli-points.
  public static let usualRate: Int64 = 1_000

  public var name: String?
  /// The hash of the child's PIN; `nil` for a child without one.
  public var pin: PINHash?
  /// A Boolean value that indicates whether the child was removed from the household.
  public var isRemoved = false
  public var apps: [AppID: App] = [:]
  /// The parents' own groups of applications.
  public var groups: [GroupName: Group] = [:]
  /// The default categories, for applications for which no parent has set one.
  public var defaults: [AppID: AppCategory] = DefaultCategory.all
  public var categories: [AppCategory: Category] = [:]
  public var dailyLimit: DayLimits?
  /// The most unused minutes that are carried over to the next day of the week; `nil` for none.
  public var carryOver: Int64?
  /// When a break is due; `nil` for no breaks.
  public var breaks: Breaks?
  /// The limit on all screen time a week in minutes.
  public var weeklyLimit: Int64?
  /// The times at which only always-allowed applications may run.
  public var bedtime: WeekWindows?
  /// The times at which only learning and always-allowed applications may run.
  public var school: WeekWindows?
  /// The times at which rewards may run; `nil` for always.
  public var rewardTimes: WeekWindows?
  /// The exceptions for days; of several for one day, the last one applies.
  public var exceptions: [DatedException] = []
  /// The time granted for a day, by the command that granted it.
  public var grants: [FamilyDay: [CommandID: Grant]] = [:]
  /// The time taken away from a day, by the command that did it.
  public var deductions: [FamilyDay: [CommandID: Deduction]] = [:]
  public var lock = Lock.off
  public var mode = HouseholdMode.points
  public var unknownPrograms = UnknownPrograms.count
  public var programs = AllowedPrograms.all
  /// The treatment of log-in sessions while only always-allowed applications may run.
  public var sessions = ClosedSessions.leave
  public var screenTime = ScreenTime()
  public var points = Points()
  /// The IANA name of the family's zone.
  public var zone = "UTC"
  /// The hour at which the family's day begins, 0 to 23.
  public var dayStartHour: Int64 = 0
  public var notices = NoticeChoice()

  public init() {}

  public static let place = ""
  public static let rows =
    [
      ChildRule.name.row, ChildRule.pin.row, ChildRule.removed.row, ChildRule.dailyLimit.row, ChildRule.carryOver.row,
      ChildRule.breaks.row, ChildRule.weeklyLimit.row, ChildRule.bedtime.row, ChildRule.school.row,
      ChildRule.rewardTimes.row, ChildRule.lock.row,
    ] + PointsRule.rows + ScreenTimeRule.rows + [ChildRule.zone.row, ChildRule.dayStart.row] + NoticeRule.rows
  public static let table = indexed(rows)

  public static let kinds =
    rows.map(\.entry) + App.rows.map(\.entry) + Group.rows.map(\.entry) + Category.rows.map(\.entry)
    + Exceptions.rows.map(\.entry) + Granted.rows.map(\.entry)
}

/// The kinds of rules of a child, or of the whole family, that have no other subject.
public enum ChildRule {
  public static let name = RuleKind(
    "name", \RuleSet.name, .text(.deviceName, "visible, 1 to 64 bytes"), zones: .child, name: "name")
  public static let pin = RuleKind(
    "pin", \RuleSet.pin, .pin, zones: .child, name: "PIN", set: { _ in "a PIN of the child's own" }, removed: "no PIN")
  public static let removed = RuleKind("removed", \RuleSet.isRemoved, .flag, zones: .child, name: "removed")
  public static let dailyLimit = RuleKind(
    limit: "limits/daily", \RuleSet.dailyLimit, name: "screen time a day", removed: "no limit on screen time a day",
    effects: [.closes, .everything, .measured])
  public static let carryOver = RuleKind(
    "limits/carryOver", \RuleSet.carryOver,
    .number(
      0...1_440, .minutes, fault: "What goes over to the next day is 0 to 1,440 minutes: give a whole number.",
      option: "What goes over to the next day is 0 to 1,440 minutes: give a time such as 1h, or none."),
    name: "unused screen time that goes over to the next day",
    set: {
      $0 == 0
        ? "no unused screen time goes over to the next day"
        : "at most = of unused screen time goes over to the next day, also from the days since Monday"
    }, removed: "no unused screen time goes over to the next day", effects: [.closes, .everything, .measured])
  public static let breaks = RuleKind(
    "limits/breaks", \RuleSet.breaks, .breaks, name: "breaks", set: { _ in "=" }, removed: "no breaks",
    effects: [.closes, .everything, .measured])
  public static let weeklyLimit = RuleKind(
    "limits/weekly", \RuleSet.weeklyLimit, .weekly, name: "screen time a week",
    removed: "no limit on screen time a week", effects: [.closes, .everything, .measured])
  public static let bedtime = RuleKind(
    "schedule/bedtime", \RuleSet.bedtime, .windows(mustEnd: true), name: "bedtime", removed: "no bedtime",
    effects: [.closes, .everything])
  public static let school = RuleKind(
    "schedule/school", \RuleSet.school, .windows(), name: "school time", removed: "no school time",
    effects: [.closes, .everything])
  public static let rewardTimes = RuleKind(
    "schedule/rewardTimes", \RuleSet.rewardTimes, .windows(), name: "reward times", removed: "no reward times",
    effects: .closes)
  public static let lock = RuleKind(
    "lock", \RuleSet.lock, .lock, zones: .child, name: "lock", set: { _ in "=" }, removed: "no lock",
    effects: [.closes, .everything])
  public static let zone = RuleKind(
    "family/zone", \RuleSet.zone, .zone, zones: .family, name: "time zone", setting: "zone")
  public static let dayStart = RuleKind(
    "family/dayStart", \RuleSet.dayStartHour,
    .number(
      0...23, .hour, fault: "A day starts at an hour from 0 to 23: give a whole number.",
      option: "A day starts at an hour from 0 to 23: give one such as 4."), zones: .family,
    name: "day starts at", setting: "dayStartHour")
}

extension RuleKind where Part == RuleSet { public var key: RuleKey { RuleKey(.child(row)) } }
