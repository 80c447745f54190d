import ArgumentParser
import LatchkeyModel
import LatchkeyNode
import LatchkeyRules

struct GroupSubcommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "group", abstract: "Groups of applications that have rules together.",
    discussion: """
      Example: latchkey apps group set Blocks minetest openttd --daily-limit 1h --hours 15:00-18:00
      Example: latchkey apps group add Blocks luanti
      """,
    subcommands: [
      GroupSetSubcommand.self, GroupAddSubcommand.self, GroupDropSubcommand.self, GroupListSubcommand.self,
      GroupRemoveSubcommand.self,
    ], defaultSubcommand: GroupListSubcommand.self)
}

struct GroupSetSubcommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "set", abstract: "Set a group of applications and its rules; what is left out stays as it is.",
    discussion: """
      The applications that are named take the place of those that were in the group; without any, the group stays as it is. \
      `latchkey apps group add` and `latchkey apps group drop` change single ones. \
      Two that run at once use the group's time once. An application may be in several groups: the strictest holds.

      Example: latchkey apps group set Blocks minetest openttd --daily-limit 1h
      Example: latchkey apps group set Blocks --child Emma --weekly-limit 5h
      """)

  @OptionGroup var rule: RuleChangeOptions

  @Argument(help: .value("group", "What the group is called, without spaces."), completion: CompletionNames.groups)
  var name: String

  @Argument(help: .value("application", "The applications, by their names or IDs."), completion: CompletionNames.apps)
  var apps: [String] = []

  @Option(
    parsing: .unconditional,
    help: .value("time|none", "The most use a day, such as 45min, \"sat-sun 2h\", \"1h within 16:00-20:00\" or none."),
    transform: DayLimits.Change.argumentWithHours)
  var dailyLimit: DayLimits.Change?

  @Option(number: CategoryRule.weekly.key(of: .reward), "The most use a week, such as 5h.", value: "time|none")
  var weeklyLimit: Setting?

  @Option(help: .value("times|none", "When they may be used, such as \"mon-fri 15:00-18:00\", or none."))
  var hours: String?

  @Flag(exclusivity: .exclusive) var blocking: AppSetSubcommand.Blocking?
  @Flag(help: "With --blocked: end them at once where they run, without time to save.") var now = false

  @Flag(
    inversion: .prefixedNo, exclusivity: .exclusive,
    help: "Whether they may be used at any time, also when the child is locked or in bed.")
  var alwaysAllowed: Bool?

  @Option(
    help: .value(
      "learning|reward|neutral", "What using those of them does to points that have no category of their own."))
  var category: AppCategory?

  @Option(
    parsing: .unconditional, help: .value("points", "Points earned or paid a minute, up to three decimal places."),
    transform: AppRule.rate.argument)
  var pointsPerMinute: Int64?

  @Flag(help: "The applications may be ones that are not installed yet, given by their IDs.") var new = false

  mutating func validate() throws {
    try GroupChoice.check(name)
    try AppSetSubcommand.Blocking.check(blocking, now: now)
    guard !apps.isEmpty || !changes.isEmpty else {
      throw ValidationError("Nothing is to be set: name applications, or give a rule such as --daily-limit 1h.")
    }
    if blocking == .blocked, alwaysAllowed == true {
      throw ValidationError("A group is either blocked or always allowed: give one of the two.")
    }
    for app in GroupChoice.apps(apps) { try AppChoice.check(app) }
  }

  func run() async throws {
    try HoursArgument.check(hours)
    let apps = GroupChoice.apps(apps)
    try await rule.set(
      RuleRequest(changes, isNew: new ? true : nil, group: name, members: apps.isEmpty ? nil : apps),
      at: rule.node.open())
  }

  private var changes: [RuleRequest.Change] {
    var changes = GroupRule.category.changes(category) + GroupRule.rate.changes(pointsPerMinute)
    changes += GroupRule.blocked.changes(blocking?.block(now: now)) + GroupRule.allowed.changes(alwaysAllowed)
    changes += dailyLimit?.changes(of: GroupRule.limit.end, replacing: Weekday.allCases) ?? []
    if let weeklyLimit { changes.append(.init(GroupRule.weekly.end, weeklyLimit.text)) }
    return changes + TimesText.changes(of: GroupRule.hours.end, to: hours)
  }
}

struct GroupListSubcommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "List groups of applications with their rules.",
    discussion: "Example: latchkey apps group list --child Emma")

  @OptionGroup var node: NodeOptions
  @OptionGroup var whose: RuleOwnerOptions

  @Option(help: .value("table|json", "How to write it.")) var format: ListingFormat = .table

  func run() async throws {
    let owners = try await whose.owner.all(at: try await node.open())
    if format == .json {
      let found = owners.flatMap { [($0.child?.name, $0.rules), (nil, $0.family)] }.map { child, rules in
        ListedRules(child: child, rules: rules.filter { RuleKey($0.key)?.group != nil })
      }
      return try console.write(JSONText.pretty(found.filter { !$0.rules.isEmpty }))
    }
    let whose = owners.count > 1 ? "anybody" : owners[0].whomLowercased
    try console.write(
      TableText.render(
        ["Group"] + (owners.count > 1 ? ["For"] : []) + ["Rules"], wrap: [owners.count > 1 ? 2 : 1],
        rows: owners.flatMap { Self.rows($0, withOwner: owners.count > 1) }.sorted { $0[0] < $1[0] },
        empty: "There is no group for \(whose) yet: `latchkey apps group set` makes one."))
  }

  private static func rows(_ owner: OwnedRules, withOwner: Bool) -> [[String]] {
    let found = (owner.rules + owner.family).filter { RuleKey($0.key)?.group != nil }
    let groups = Dictionary(grouping: found) { RuleKey($0.key)?.group }
    return groups.compactMap { group, held in
      guard let group else { return nil }
      let members = held.filter { RuleKey($0.key)?.entry == GroupRule.members.entry }.map(\.words)
      let rules = held.filter { RuleKey($0.key)?.entry != GroupRule.members.entry && !isNothing($0) }
      let phrases =
        members
        + RuleText.phrases(rules.map { ($0.key, $0.value) }, owner.terms).map { phrase in
          phrase.replacing(" on group \(group.text)", with: "").replacing("group \(group.text) ", with: "")
        }
      return [ShownText.safe(group.text)] + (withOwner ? [owner.child == nil ? "family" : owner.whom] : [])
        + [ShownText.safe(phrases.joined(separator: "; "))]
    }
  }

  /// Returns whether a rule of a group changes nothing, because the same holds without it.
  private static func isNothing(_ rule: RuleListing) -> Bool {
    guard let key = RuleKey(rule.key) else { return false }
    let flags = [GroupRule.blocked.entry, GroupRule.allowed.entry]
    return flags.contains(key.entry) && rule.value == "no"
      || key.entry == GroupRule.limit.entry && key.weekday == nil && rule.value == "none"
  }
}

struct GroupRemoveSubcommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "remove", abstract: "Remove a group with its rules; its applications keep their own.",
    discussion: "Example: latchkey apps group remove Blocks --child Emma")

  @OptionGroup var rule: RuleChangeOptions

  @Argument(help: .value("group", "What the group is called."), completion: CompletionNames.groups) var name: String

  mutating func validate() throws { try GroupChoice.check(name) }

  func run() async throws {
    let interface = try await rule.node.open()
    let present = try await rule.whose.owner.rules(at: interface)
    let keys = present.rules.map(\.key).filter { RuleKey($0)?.group?.text == name }
    guard !keys.isEmpty else {
      let groups = Set(present.rules.compactMap { RuleKey($0.key)?.group?.text }).sorted()
      let question = Spelling.question(for: name, among: groups) { ShownText.safe($0) }
      throw TerminalFailure(
        .unknownName,
        "Nothing was changed: \(present.whom) has no group “\(ShownText.safe(name))”"
          + (question.isEmpty ? "; `latchkey apps group` lists those that there are." : ". \(question)"))
    }
    try await rule.set(keys.map { .init($0.text, nil) }, at: interface)
  }
}

struct GroupAddSubcommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "add", abstract: "Add applications to a group; those that are in it stay.",
    discussion: """
      Example: latchkey apps group add Blocks luanti
      Example: latchkey apps group add Blocks luanti --child Emma
      """)

  @OptionGroup var chosen: GroupMemberArguments

  @Flag(help: "The applications may be ones that are not installed yet, given by their IDs.") var new = false

  func run() async throws { try await chosen.change(.add, isNew: new) }
}

struct GroupDropSubcommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "drop", abstract: "Take applications out of a group, which keeps its others and its rules.",
    discussion: "Example: latchkey apps group drop Blocks minetest")

  @OptionGroup var chosen: GroupMemberArguments

  func run() async throws { try await chosen.change(.remove) }
}

struct GroupMemberArguments: ParsableArguments {
  @OptionGroup var rule: RuleChangeOptions

  @Argument(help: .value("group", "What the group is called."), completion: CompletionNames.groups) var name: String

  @Argument(help: .value("application", "The applications, by their names or IDs."), completion: CompletionNames.apps)
  var apps: [String]

  mutating func validate() throws {
    try GroupChoice.check(name)
    let apps = GroupChoice.apps(apps)
    guard !apps.isEmpty else { throw ValidationError("Name the applications, by their names or IDs.") }
    for app in apps { try AppChoice.check(app) }
  }

  func change(_ edit: RuleRequest.MemberEdit, isNew: Bool = false) async throws {
    try await rule.set(
      RuleRequest([], isNew: isNew ? true : nil, group: name, members: GroupChoice.apps(apps), memberEdit: edit),
      at: rule.node.open())
  }
}

/// The name of a group and its applications as a person types them.
private enum GroupChoice {
  /// Returns the applications; a person may have typed commas between them.
  static func apps(_ words: [String]) -> [String] {
    words.flatMap { $0.split(separator: ",") }.map { word in String(word.drop { $0 == " " }) }.filter { !$0.isEmpty }
  }

  static func check(_ name: String) throws {
    guard GroupName(name) != nil, name.utf8.count <= 64 else {
      throw ValidationError("A group's name has 1 to 64 bytes and no spaces: write one such as Blocks or Board-games.")
    }
  }
}
