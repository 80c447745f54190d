import LatchkeyModel

extension RuleSet {
  /// The exceptions for one day.
  public struct Today: Hashable, Sendable {
    public var bedtime: DayWindows?
    /// The school times that begin on that day.
    public var school: DayWindows?
    /// The reward times that begin on that day.
    public var rewardTimes: DayWindows?
    /// The time granted for that day, by the command that granted it.
    public var grants: [CommandID: Grant] = [:]

    /// Creates exceptions that change nothing.
    public init() {}
  }

  /// The place of one grant.
  public struct Granted: RulePart {
    var grant: Grant?

    /// Creates a place without a grant.
    public init() {}

    public static let place = "today/DATE/grant/"
    public static let rows = [DayRule.grant.row]
    public static let table = indexed(rows)
  }
}

/// The kinds of exceptions for one day of the family.
public enum DayRule {
  public static let bedtime = RuleKind(
    "bedtime", \RuleSet.Today.bedtime, .times(mustEnd: true), zones: .child, name: "bedtime on #",
    set: { $0.windows.isEmpty ? "no bedtime on #" : "bedtime on # =" }, removed: "bedtime on # as on other days",
    effects: .closes)
  public static let school = RuleKind(
    "school", \RuleSet.Today.school, .times(), zones: .child, name: "school time on #",
    set: { $0.windows.isEmpty ? "no school time on #" : "school time on # =" },
    removed: "school time on # as on other days", effects: .closes)
  public static let rewardTimes = RuleKind(
    "rewardTimes", \RuleSet.Today.rewardTimes, .times(), zones: .child, name: "reward times on #",
    set: { $0.windows.isEmpty ? "no reward times on #" : "reward times on # =" },
    removed: "reward times on # as on other days", effects: .closes)
  public static let grant = RuleKind(
    "ID", \RuleSet.Granted.grant, .grant, zones: .child, name: "more time on #",
    removed: "the time that was granted on # is taken back", effects: .closes)
}

extension RuleSet.Today: RulePart {
  public static let place = "today/DATE/"
  public static let rows = [DayRule.bedtime.row, DayRule.school.row, DayRule.rewardTimes.row]
  public static let table = indexed(rows)
}

extension RuleKind where Part == RuleSet.Today {
  /// Returns the key of an exception for a day.
  public func key(on day: FamilyDay) -> RuleKey { RuleKey(.day(day, row)) }
}

extension RuleKind where Part == RuleSet.Granted {
  public func key(on day: FamilyDay, by command: CommandID) -> RuleKey { RuleKey(.grant(day, command, row)) }
}
