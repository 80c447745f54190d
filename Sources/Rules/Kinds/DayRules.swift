import LatchkeyModel

extension RuleSet {
  /// The exceptions for a day, or for each of several days on end.
  public struct Exceptions: Hashable, Sendable {
    public var name: String?
    public var bedtime: DayWindows?
    /// The school times that begin on the day.
    public var school: DayWindows?
    /// The reward times that begin on the day.
    public var rewardTimes: DayWindows?
    /// The limit on screen time, or none; `nil` for no exception.
    public var limit: DayLimit??

    public init() {}
  }

  /// An exception, and the days that it is for.
  public struct DatedException: Hashable, Sendable {
    public var days: DayRange
    public var rules: Exceptions
  }

  /// Returns a day's exception: the child's that was set last, or the family's; `nil` for none.
  func exception<Value>(_ kind: KeyPath<Exceptions, Value?>, on day: FamilyDay) -> Value? {
    exceptions.last { $0.days.contains(day) && $0.rules[keyPath: kind] != nil }?.rules[keyPath: kind]
  }

  /// Returns the days of the exception that sets the limit on screen time of a day, with their
  /// name, such as "on 2026-12-23..2027-01-06 (Christmas)"; `nil` if the plan does.
  ///
  /// An exception for the day alone is called "today" if it is the present day.
  func daysOfLimit(on day: FamilyDay, isToday: Bool = false) -> Phrase? {
    guard let days = exceptions.last(where: { $0.days.contains(day) && $0.rules.limit != nil })?.days else {
      return nil
    }
    let name = exceptions.last { $0.days == days && $0.rules.name != nil }?.rules.name
    let isThis = isToday && days == DayRange(day)
    guard let name else { return isThis ? Phrase("today") : Phrase("on {days}", ["days": .text("\(days)")]) }
    return isThis
      ? Phrase("today ({name})", ["name": .text("\(name)")])
      : Phrase("on {days} ({name})", ["days": .text("\(days)"), "name": .text("\(name)")])
  }

  /// Returns the minutes of screen time of a day; `nil` for no limit.
  public func dailyLimit(on day: FamilyDay) -> Int? {
    (exception(\.limit, on: day) ?? dailyLimit?[day.weekday])?.minutes
  }

  /// Returns whether a day has a limit on screen time of its own instead of the plan's.
  func hasOwnLimit(on day: FamilyDay) -> Bool { exception(\.limit, on: day) != nil }

  /// The place of one grant, or of one deduction.
  public struct Granted: RulePart {
    var grant: Grant?
    var deduction: Deduction?

    public init() {}

    init(grant: Grant?, deduction: Deduction?) { (self.grant, self.deduction) = (grant, deduction) }

    public static let place = "today/DATE/"
    public static let rows = [DayRule.grant.row, DayRule.deduction.row]
    public static let table = indexed(rows)
  }
}

/// The kinds of exceptions for days of the family.
public enum DayRule {
  public static let name = RuleKind(
    "name", \RuleSet.Exceptions.name, .text(.deviceName, "visible, 1 to 64 bytes"), name: "name of #",
    set: { _ in "# called =" }, removed: "# without a name")
  public static let bedtime = RuleKind(
    "bedtime", \RuleSet.Exceptions.bedtime, .times(mustEnd: true), name: "bedtime on #",
    set: { $0.windows.isEmpty ? "no bedtime on #" : "bedtime on # =" }, removed: "bedtime on # as on other days",
    effects: [.closes, .everything])
  public static let school = RuleKind(
    "school", \RuleSet.Exceptions.school, .times(), name: "school time on #",
    set: { $0.windows.isEmpty ? "no school time on #" : "school time on # =" },
    removed: "school time on # as on other days", effects: [.closes, .everything])
  public static let rewardTimes = RuleKind(
    "rewardTimes", \RuleSet.Exceptions.rewardTimes, .times(), name: "reward times on #",
    set: { $0.windows.isEmpty ? "no reward times on #" : "reward times on # =" },
    removed: "reward times on # as on other days", effects: .closes)
  public static let limit = RuleKind(
    "limit", \RuleSet.Exceptions.limit, .limit, name: "screen time on #",
    set: { $0 == nil ? "no limit on screen time on #" : "screen time on # =" },
    removed: "screen time on # as on other days", effects: [.closes, .everything, .measured])
  public static let grant = RuleKind(
    "grant/ID", \RuleSet.Granted.grant, .grant, zones: .child, name: "more time on #",
    set: { _ in "more time on #: =" }, removed: "the time that was granted on # is taken back", effects: .closes)
  public static let deduction = RuleKind(
    "less/ID", \RuleSet.Granted.deduction, .deduction, zones: .child, name: "less time on #",
    set: { _ in "less time on #: =" }, removed: "the time that was taken away on # is given back", effects: .closes)
}

extension RuleSet.Exceptions: RulePart {
  public static let place = "today/DATE/"
  public static let rows = [
    DayRule.name.row, DayRule.bedtime.row, DayRule.school.row, DayRule.rewardTimes.row, DayRule.limit.row,
  ]
  public static let table = indexed(rows)
}

extension RuleKind where Part == RuleSet.Exceptions {
  public func key(on days: DayRange) -> RuleKey { RuleKey(.days(days, row)) }
}

extension RuleKind where Part == RuleSet.Granted {
  public func key(on day: FamilyDay, by command: CommandID) -> RuleKey { RuleKey(.grant(day, command, row)) }
}
