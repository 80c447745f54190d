import LatchkeyModel

/// A register that has no effect on this machine, and why.
public struct NotInForce: Hashable, Sendable {
  /// The zone of the register.
  public var zone: Zone
  /// The key of the register.
  public var key: RegisterKey
  /// A sentence that describes the reason and the next step.
  public var reason: String
}

extension RuleSet {
  /// Reads the rules of a child from registers, and lists those that have no effect.
  ///
  /// The registers of other children and of machines are passed over. A register of the child holds instead of the
  /// family's under the same key, unless it was deleted or cannot be read. A child's limit of every day holds instead of all
  /// the family's of that kind. The order of the registers does not matter.
  ///
  /// Without a child, the rules are those of the whole family. `defaults` are the categories of applications that no parent has set.
  ///
  /// Spec: Protocol/11-rules.md §2.
  public static func read(
    _ registers: some Sequence<Register>, child: ChildID?, defaults: [AppID: AppCategory] = DefaultCategory.all
  ) -> (rules: RuleSet, notInForce: [NotInForce]) {
    var rules = RuleSet()
    var notInForce: [NotInForce] = []
    var own: [Rule] = []
    var family: [Rule] = []
    for register in registers {
      guard register.zone == .family || register.zone == child.map({ .child($0) }), let value = register.value else {
        continue
      }
      do throws(RuleFault) {
        let rule = try Self.rule(register, value)
        if register.zone == .family { family.append(rule) } else { own.append(rule) }
      } catch {
        notInForce.append(NotInForce(zone: register.zone, key: register.key, reason: error.sentence))
      }
    }
    rules.defaults = defaults
    // The limit of a weekday lies over that of every day in the same zone. No other order matters within a zone.
    for zone in [family, own] {
      for rule in zone where !rule.key.isOfWeekday { rules.set(rule) }
      for rule in zone where rule.key.isOfWeekday { rules.set(rule) }
    }
    notInForce.sort { ($0.zone, $0.key) < ($1.zone, $1.key) }
    return (rules, notInForce)
  }

  private static func rule(_ register: Register, _ value: String) throws(RuleFault) -> Rule {
    guard let key = RuleKey(register.key) else {
      throw RuleFault("This version does not know the rule \(register.key): update Latchkey on this machine.")
    }
    guard key.belongs(in: register.zone) else {
      let whose = register.zone == .family ? "of one child" : "of the whole family"
      throw RuleFault("The rule \(register.key) can only be \(whose): set it there.")
    }
    if key.isOfMany { throw .manyPrograms }
    return try Rule(key, stored: value)
  }

  private mutating func set(_ rule: Rule) {
    switch (rule.key, rule.value) {
    case (.name, .name(let value)): name = value
    case (.removed, .flag(let value)): isRemoved = value
    case (.app(let id, let part), let value): apps[id, default: App()].set(part, value)
    case (.category(let category, let part), let value): categories[category, default: Category()].set(part, value)
    case (.limits(.daily), .limit(let value)): dailyLimit.setEveryDay(value)
    case (.weekday(.screenTime, let day), .limit(let value)): dailyLimit.set(value, on: day)
    case (.weekday(.category(let category), let day), .limit(let value)):
      categories[category, default: Category()].limit.set(value, on: day)
    case (.weekday(.app(let id), let day), .limit(let value)): apps[id, default: App()].limit.set(value, on: day)
    case (.limits(.weekly), .number(let value)): weeklyLimit = value
    case (.schedule(.bedtime), .windows(let value)): bedtime = value
    case (.schedule(.school), .windows(let value)): school = value
    case (.schedule(.rewardTimes), .windows(let value)): rewardTimes = value
    case (.today(let day, let part), let value): today[day, default: Today()].set(part, value)
    case (.lock, .lock(let value)): lock = value
    case (.mode, .mode(let value)): mode = value
    case (.unknownPrograms, .unknownPrograms(let value)): unknownPrograms = value
    case (.sessions, .sessions(let value)): sessions = value
    case (.screenTime(.source), .screenTime(let value)): screenTime.source = value
    case (.screenTime(.grace), .number(let value)): screenTime.graceMinutes = value
    case (.screenTime(.learning), .learningTime(let value)): screenTime.learning = value
    case (.points(let part), let value): points.set(part, value)
    case (.family(.zone), .zone(let value)): zone = value
    case (.family(.dayStart), .number(let value)): dayStartHour = value
    default: preconditionFailure("the value of \(rule.registerKey) was read by its key")
    }
  }
}

extension RuleKey {
  fileprivate var isOfWeekday: Bool { if case .weekday = self { true } else { false } }
}

extension DayLimits? {
  fileprivate mutating func setEveryDay(_ minutes: Int?) {
    self = minutes.map { DayLimits(everyDay: $0) }
  }

  fileprivate mutating func set(_ minutes: Int?, on day: Weekday) {
    var limits = self ?? DayLimits(everyDay: nil)
    limits[day] = minutes
    self = limits.isEmpty ? nil : limits
  }
}

extension RuleSet.App {
  fileprivate mutating func set(_ part: RuleKey.App, _ value: RuleValue) {
    switch (part, value) {
    case (.name, .name(let value)): name = value
    case (.category, .category(let value)): category = value
    case (.rate, .number(let value)): milliPointsPerMinute = value
    case (.enabled, .flag(let value)): isEnabled = value
    case (.blocked, .flag(let value)): isBlocked = value
    case (.allowed, .flag(let value)): isAlwaysAllowed = value
    case (.limit, .limit(let value)): limit.setEveryDay(value)
    case (.matchers, .matchers(let value)): matchers = value
    case (.step, .step(let value)): step = value
    case (.launches, .launches(let value)): launches = value
    default: preconditionFailure("the value of \(part) was read by its key")
    }
  }
}

extension RuleSet.Category {
  fileprivate mutating func set(_ part: RuleKey.Category, _ value: RuleValue) {
    switch (part, value) {
    case (.limit, .limit(let value)): limit.setEveryDay(value)
    case (.weekly, .number(let value)): weekly = value
    case (.rate, .number(let value)): rate = value
    default: preconditionFailure("the value of \(part) was read by its key")
    }
  }
}

extension RuleSet.Today {
  fileprivate mutating func set(_ part: RuleKey.Today, _ value: RuleValue) {
    switch (part, value) {
    case (.bedtime, .times(let value)): bedtime = value
    case (.school, .times(let value)): school = value
    case (.rewardTimes, .times(let value)): rewardTimes = value
    case (.grant(let id), .grant(let value)): grants[id] = value
    default: preconditionFailure("the value of \(part) was read by its key")
    }
  }
}

extension RuleSet.Points {
  fileprivate mutating func set(_ part: RuleKey.Points, _ value: RuleValue) {
    switch (part, value) {
    case (.use, .pointsUse(let value)): use = value
    case (.minutesPerPoint, .number(let value)): minutesPerPoint = value
    case (.dailyCap, .number(let value)): dailyCap = value
    case (.weeklyCap, .number(let value)): weeklyCap = value
    case (.minimumSession, .number(let value)): minimumSession = value
    case (.redemptionDays, .number(let value)): redemptionDays = value
    default: preconditionFailure("the value of \(part) was read by its key")
    }
  }
}
