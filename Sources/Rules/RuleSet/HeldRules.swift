import LatchkeyModel

/// The rules of a child on a day, with the registers that they follow from.
///
/// Spec: Protocol/11-rules.md §2, §5.
public struct HeldRules: Sendable {
  /// The reason why a rule closes nothing, by the name of its condition.
  ///
  /// Spec: Protocol/10-household.md §6.
  public enum Obstacle: String, Sendable {
    /// The application's rules are off.
    case off = "rules-off"
    /// The application is always allowed, so that its times close nothing.
    case alwaysAllowed = "always-allowed"
  }

  /// The kind of register that applies instead of another one, by the name of its condition.
  ///
  /// Spec: Protocol/10-household.md §6.
  public enum Rival: String, CaseIterable, Sendable {
    /// The child's own rule instead of the family's.
    case ofChild = "overridden-by-child"
    case ofWeekday = "overridden-by-weekday"
    case ofDay = "overridden-by-day"
  }

  public let child: ChildID
  public let rules: RuleSet
  /// The registers of the family's zone and of the child's.
  private let registers: [Register]
  private let day: FamilyDay

  public init(_ child: ChildID, _ rules: RuleSet, _ registers: [Register], on day: FamilyDay) {
    (self.child, self.rules, self.registers, self.day) = (child, rules, registers, day)
  }

  /// Returns the applications that a rule is about; `nil` for a rule of anything else.
  public func applications(of key: RuleKey) -> Set<AppID>? {
    key.application.map { [$0] } ?? key.group.map { Set(rules.groups[$0]?.members ?? []) }
  }

  /// Returns the reason why a rule does not close one of its applications; `nil` if it can.
  public func obstacle(to key: RuleKey, of app: AppID, as text: String?) -> Obstacle? {
    if rules.apps[app]?.isEnabled == false { return key.entry == AppRule.enabled.entry ? nil : .off }
    return Self.times.contains(key.entry) && text != "none" && rules.app(app).isAlwaysAllowed ? .alwaysAllowed : nil
  }

  /// The kinds of rules that close no always-allowed application.
  private static let times = [
    AppRule.limit.entry, AppRule.hours.entry, GroupRule.limit.entry, GroupRule.weekly.entry, GroupRule.hours.entry,
  ]

  /// Returns the kind of register that applies instead of a register; `nil` if the register itself
  /// applies.
  ///
  /// A rule of every day is judged on `day`, and a rule of a weekday or of other days on those
  /// days. A weaker rule with the same value does not apply either: it would have no effect once
  /// the stronger one is changed. The exception is the rule of a weekday that merely repeats that
  /// of every day.
  public func rival(of register: Register) -> Rival? {
    guard let key = RuleKey(register.key), key.belongs(in: register.zone) else { return nil }
    let day = key.days.map { min(max(self.day, $0.first), $0.last) } ?? self.day
    let strongest = registers.filter { isRival($0, of: key, on: day) }.max { rank($0) < rank($1) }
    guard let strongest, let rival = RuleKey(strongest.key) else { return nil }
    let isSame = strongest.value == register.value
    if strongest.zone == register.zone, isSame, strongest.key == register.key || rival.days == nil { return nil }
    if rival.days != nil { return .ofDay }
    return strongest.zone == register.zone && rival.weekday != nil ? .ofWeekday : .ofChild
  }

  /// Returns whether a register has the same subject as a rule, on the same day.
  private func isRival(_ register: Register, of key: RuleKey, on day: FamilyDay) -> Bool {
    guard let value = register.value, let rival = RuleKey(register.key), rival.belongs(in: register.zone),
      (try? rival.entry.read(value, true)) != nil
    else { return false }
    let weekday = key.weekday ?? day.weekday
    if rival.everyDay == key.everyDay { return rival.weekday.map { $0 == weekday } ?? true }
    // Grants of a day add up, and none replaces another.
    let kind = Self.exceptions[key.entry] ?? Self.exceptions.values.first { $0 == key.entry }
    return rival.entry == kind && weekday == day.weekday && rival.days.map { $0.first <= day && day <= $0.last } == true
  }

  /// The exceptions that replace a rule of the plan.
  public static let exceptions = [
    ChildRule.dailyLimit.entry: DayRule.limit.entry, ChildRule.bedtime.entry: DayRule.bedtime.entry,
    ChildRule.school.entry: DayRule.school.entry, ChildRule.rewardTimes.entry: DayRule.rewardTimes.entry,
  ]

  /// Returns the rank of a register; of several, the one with the highest rank applies.
  private func rank(_ register: Register) -> (Int, HybridTimestamp, RegisterKey) {
    let key = RuleKey(register.key)
    let (isException, isChilds) = (key?.days != nil, register.zone != .family)
    let order = (isException ? 4 : 0) + (isChilds ? 2 : 0) + (key?.weekday != nil ? 1 : 0)
    return (order, register.modified, register.key)
  }
}
