import LatchkeyModel

/// The use on one family day, in milliseconds, with each instant counted once.
///
/// It covers the child's use on all machines, as far as this machine knows it.
public struct DayUse: Hashable, Sendable {
  /// The time for which anything was in use.
  public var screen: Int64
  /// The time for which anything of a category was in use.
  public var categories: [AppCategory: Int64]
  /// The time for which each application was in use.
  public var apps: [AppID: Int64]
  /// The time for which anything of each group was in use.
  public var groups: [GroupName: Int64]
  /// The time of applications within the hours of their limits, where these have any.
  public var appsWithin: [AppID: Int64]
  /// The time for which anything of each group was in use within the hours of its limit.
  public var groupsWithin: [GroupName: Int64]

  public init(
    screen: Int64 = 0, categories: [AppCategory: Int64] = [:], apps: [AppID: Int64] = [:],
    groups: [GroupName: Int64] = [:], appsWithin: [AppID: Int64] = [:], groupsWithin: [GroupName: Int64] = [:]
  ) {
    (self.screen, self.categories, self.apps) = (screen, categories, apps)
    (self.groups, self.appsWithin, self.groupsWithin) = (groups, appsWithin, groupsWithin)
  }

  /// Returns the time that counts for an application's limit.
  public func used(_ app: AppID, for limit: DayLimit?) -> Int64 {
    (limit?.hours == nil ? apps[app] : appsWithin[app]) ?? 0
  }

  /// Returns the time that counts for a group's limit.
  public func used(group: GroupName, for limit: DayLimit?) -> Int64 {
    (limit?.hours == nil ? groups[group] : groupsWithin[group]) ?? 0
  }
}

/// Minutes that a child has redeemed and not used yet.
public struct RedeemedTime: Hashable, Sendable {
  public var milliseconds: Int64
  /// The last family day on which they can be used.
  public var lastDay: FamilyDay

  public init(milliseconds: Int64, lastDay: FamilyDay) { (self.milliseconds, self.lastDay) = (milliseconds, lastDay) }
}

/// The facts about a child that a machine decides by at one instant, besides the rules.
public struct Situation: Hashable, Sendable {
  public var boot: BootInstant
  /// The time that decides about times of the day, in Unix milliseconds (`HouseholdClock`).
  public var time: Int64
  /// The time that decides about days, in Unix milliseconds (`HouseholdClock`).
  ///
  /// It is in `day` or before it.
  public var dayTime: Int64
  /// The family day (`HouseholdClock`).
  public var day: FamilyDay
  /// The use by family day, up to this instant.
  public var use: [FamilyDay: DayUse]
  /// The times since the previous day from which breaks follow, in Unix milliseconds.
  public var presence: SpanSet
  /// The milli-points that may be spent on this machine after all use up to this instant.
  public var spendable: Int64
  /// The redeemed minutes that are left at this instant.
  public var redeemed: [RedeemedTime]
  /// The programs that run, by the number of the child's account in which they run.
  public var running: [UInt32: Set<Subject>]
  /// A Boolean value that indicates whether nobody is named in a shared account, so none can pay.
  public var isUnnamed = false

  public init(
    boot: BootInstant, time: Int64, dayTime: Int64? = nil, day: FamilyDay, use: [FamilyDay: DayUse] = [:],
    presence: SpanSet = SpanSet(), spendable: Int64 = 0, redeemed: [RedeemedTime] = [],
    running: [UInt32: Set<Subject>] = [:]
  ) {
    (self.boot, self.time, self.dayTime, self.day, self.use) = (boot, time, dayTime ?? time, day, use)
    (self.presence, self.spendable, self.redeemed, self.running) = (presence, spendable, redeemed, running)
  }

  /// The use of the day, and of later days that a wrong clock had reached.
  public var today: DayUse { use(counting: day) }

  func use(counting day: FamilyDay) -> DayUse {
    var today = use[day] ?? DayUse()
    for (later, use) in use where later > day { today.add(use) }
    return today
  }
}
