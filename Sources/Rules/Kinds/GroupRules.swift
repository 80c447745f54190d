import LatchkeyModel

/// The name of a group of applications, which is written as the ID of an application is.
public typealias GroupName = AppID

extension RuleSet {
  /// A parent's own group of applications, with rules for all of them.
  public struct Group: Hashable, Sendable {
    /// The applications; without any, the group's other rules have no effect.
    public var members: [AppID] = []
    /// The category of those that have none of their own.
    public var category: AppCategory?
    /// The rate of those that have none of their own, in milli-points per minute.
    public var milliPointsPerMinute: Int64?
    public var block = Block.no
    public var isAlwaysAllowed = false
    public var limit: DayLimits?
    /// The limit a week in minutes.
    public var weekly: Int64?
    /// When they may be used; `nil` for always.
    public var hours: WeekWindows?

    public init() {}

    var isBlocked: Bool { block != .no }
  }

  /// Returns the groups that an application is in, in the order of their names.
  public func groups(of app: AppID) -> [(name: GroupName, group: Group)] {
    groups.filter { $0.value.members.contains(app) }.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
  }

  /// The groups, each with only the applications that its rules apply to.
  public var usedGroups: [GroupName: Group] {
    groups.mapValues { group in
      var group = group
      group.members.removeAll { apps[$0]?.isEnabled == false }
      return group
    }
  }

  /// Returns the rules of an application with those of its groups; the strictest of them apply.
  public func withGroups(_ app: App, _ id: AppID) -> App {
    let groups = groups(of: id).map(\.group)
    guard !groups.isEmpty else { return app }
    var app = app
    app.block = [.now, .yes].first { block in app.block == block || groups.contains { $0.block == block } } ?? .no
    app.isAlwaysAllowed = app.isAlwaysAllowed || groups.allSatisfy(\.isAlwaysAllowed)
    if app.category == nil {
      app.category =
        [.reward, .neutral, .learning].first { category in groups.contains { $0.category == category } } ?? defaults[id]
    }
    if app.milliPointsPerMinute == nil {
      let rates = groups.filter { $0.category == nil || $0.category == app.category }.compactMap(\.milliPointsPerMinute)
      app.milliPointsPerMinute = app.category == .learning ? rates.min() : rates.max()
    }
    return app
  }
}

/// The kinds of rules of a group of applications.
public enum GroupRule {
  public static let members = RuleKind(
    "members", \RuleSet.Group.members, .applications, name: "group #", set: { _ in "group # is =" },
    removed: "no group #", effects: .closes)
  public static let category = RuleKind(
    "category", \RuleSet.Group.category,
    .choice(fault: "A category is {words}: give one of them.", isLowercased: true, words: AppCategory.phrases),
    name: "group #: category", set: { _ in "group # is for =" }, removed: "no category set for group #",
    effects: .closes)
  public static let rate = RuleKind(
    "rate", \RuleSet.Group.milliPointsPerMinute, .rate, name: "group #: points", set: { _ in "group # =" },
    removed: "no points of its own for group #", effects: .closes)
  public static let blocked = RuleKind(
    "blocked", \RuleSet.Group.block, .block, name: "group #: blocked",
    set: {
      $0 == .no ? "group # not blocked" : $0 == .now ? "group # blocked without time to save" : "group # blocked"
    }, removed: "no block set for group #", effects: .closes)
  public static let allowed = RuleKind(
    "allowed", \RuleSet.Group.isAlwaysAllowed, .flag, name: "group #: always allowed",
    set: { $0 ? "group # always allowed" : "group # not always allowed" },
    removed: "group # not set as always allowed", effects: .closes)
  public static let limit = RuleKind(
    limit: "limit", \RuleSet.Group.limit, .limitWithin, name: "group # a day", set: "group # at most = a day",
    removed: "no limit a day on group #")
  public static let weekly = RuleKind(
    "weekly", \RuleSet.Group.weekly, .weekly, name: "group # a week", set: { _ in "group # at most = a week" },
    removed: "no limit a week on group #", effects: .closes)
  public static let hours = RuleKind(
    "hours", \RuleSet.Group.hours, .windows(), name: "group #: hours", set: { _ in "group # only =" },
    removed: "no hours set for group #", effects: .closes)
}

extension RuleSet.Group: RulePart {
  public static let place = "group/NAME/"
  public static let rows = [
    GroupRule.members.row, GroupRule.category.row, GroupRule.rate.row, GroupRule.blocked.row, GroupRule.allowed.row,
    GroupRule.limit.row, GroupRule.weekly.row, GroupRule.hours.row,
  ]
  public static let table = indexed(rows)
}

extension RuleKind where Part == RuleSet.Group {
  public func key(of group: GroupName) -> RuleKey { RuleKey(.group(group, row)) }
}

extension RuleForm<[AppID]> {
  /// The IDs of applications, one on each line, in the order of their bytes.
  static var applications: Self {
    RuleForm(
      .form("applications"),
      typed: { text throws(RuleFault) in
        let names = text.split(separator: "\n").map { AppID(String($0)) }
        let apps = Set(names.compactMap(\.self))
        guard apps.count == Set(names).count, (1...256).contains(apps.count) else {
          throw RuleFault("A group has 1 to 256 applications: give their IDs, such as org.gnome.Chess.")
        }
        guard !apps.contains(where: \.isOfMany) else { throw .manyPrograms }
        guard apps.reduce(0, { $0 + $1.text.utf8.count }) <= 16_384 else {
          throw RuleFault("The IDs of a group's applications have at most 16,384 bytes together: leave out some.")
        }
        return apps.sorted()
      }, text: { $0.map(\.text).joined(separator: "\n") },
      words: { apps, terms in Phrase(verbatim: apps.map(terms.name).joined(separator: ", ")) })
  }
}

extension RuleSet {
  public struct Category: Hashable, Sendable {
    public var limit: DayLimits?
    /// The limit a week in minutes.
    public var weekly: Int64?
    /// The rate in milli-points per minute of applications without one of their own.
    public var rate: Int64?

    public init() {}
  }
}

public enum CategoryRule {
  public static let limit = RuleKind(
    limit: "limit", \RuleSet.Category.limit, name: "# a day", removed: "no limit on # a day")
  public static let weekly = RuleKind(
    "weekly", \RuleSet.Category.weekly, .weekly, name: "# a week", removed: "no limit on # a week", effects: .closes)
  public static let rate = RuleKind("rate", \RuleSet.Category.rate, .rate, name: "points for #", effects: .closes)
}

extension RuleSet.Category: RulePart {
  public static let place = "category/CATEGORY/"
  public static let rows = [CategoryRule.limit.row, CategoryRule.weekly.row, CategoryRule.rate.row]
  public static let table = indexed(rows)
}

extension RuleKind where Part == RuleSet.Category {
  public func key(of category: AppCategory) -> RuleKey { RuleKey(.category(category, row)) }
}
