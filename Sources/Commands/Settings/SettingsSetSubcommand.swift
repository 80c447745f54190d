import ArgumentParser
import LatchkeyModel
import LatchkeyNode
import LatchkeyRules

struct SettingsSetSubcommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "set", abstract: "Change the family's rules; what is left out stays as it is.",
    discussion: """
      "default" goes back to the default. With --child the rule is that child's, and holds instead of the family's; `latchkey \
      rules` shows it.

      Example: latchkey settings set --daily-reward-limit 1h30m --zone Europe/Berlin
      Example: latchkey settings set --rewards redeem-first --minutes-per-point 3
      Example: latchkey settings set --child Emma --points off
      """)

  @OptionGroup var node: NodeOptions
  @OptionGroup var options: RuleOptions

  @Option(name: .customLong("on"), help: .hidden) var machine: String?

  @Option(child: "For this child alone instead of the family.") var child: String?

  @Flag(help: .hidden) var family = false

  @Option(
    word: PointsRule.mode.key,
    "Whether learning earns points and rewards cost them.", value: "on|off",
    completion: .list(["on", "off", "default"]))
  var points: Setting?

  @Option(
    word: PointsRule.use.key,
    "Whether rewards cost points as they run, or minutes are bought before.", value: "pay-as-you-go|redeem-first")
  var rewards: Setting?

  @Option(
    number: CategoryRule.rate.key(of: .learning),
    "For learning and rewards without a rate of their own.", value: "points")
  var defaultPointsPerMinute: Setting?

  @Option(number: CategoryRule.rate.key(of: .learning), "The same for learning alone.", value: "points")
  var learningPointsPerMinute: Setting?

  @Option(number: CategoryRule.rate.key(of: .learning), "The same for rewards alone.", value: "points")
  var rewardPointsPerMinute: Setting?

  @Option(number: PointsRule.minutesPerPoint.key, "What one redeemed point buys.", value: "minutes")
  var minutesPerPoint: Setting?

  @Option(number: PointsRule.redemptionDays.key, "How long redeemed minutes last.", value: "days")
  var redemptionDays: Setting?

  @Option(number: PointsRule.minimumSession.key, "Shorter sessions earn nothing.", value: "minutes")
  var minimumSession: Setting?

  @Option(number: PointsRule.dailyCap.key, "The most that learning earns a day.", value: "points|none")
  var dailyPointsLimit: Setting?

  @Option(number: PointsRule.weeklyCap.key, "The most that learning earns a week.", value: "points|none")
  var weeklyPointsLimit: Setting?

  @Option(
    number: CategoryRule.limit.key(of: .reward), "The most reward a day, such as 45min or 1h30m.", value: "time|none")
  var dailyRewardLimit: Setting?

  @Option(number: CategoryRule.weekly.key(of: .reward), "The most reward a week, such as 5h.", value: "time|none")
  var weeklyRewardLimit: Setting?

  @Option(
    word: ScreenTimeRule.unknownPrograms.key,
    "Programs that are no known application, from a place the child can write to: allow them and count them as screen "
      + "time, treat them as rewards, which cost points also in the background, or block them.",
    value: "count|reward|block")
  var unknownPrograms: Setting?

  @Option(
    word: ScreenTimeRule.programs.key,
    "Which programs may run: all that no rule closes, or only always-allowed applications and those with a category that "
      + "you have set; one by default, such as reward for a game, does not count.", value: "all|listed",
    completion: .list(["all", "listed", "default"]))
  var programs: Setting?

  @Option(
    word: ScreenTimeRule.sessions.key,
    "When nothing may be used but what is always allowed: leave the child logged in, lock the screen again and again, "
      + "the same unless a program runs that is always allowed, or end the child's sessions.",
    value: "leave|lock|lock-unless-allowed|close")
  var sessions: Setting?

  @Option(
    word: ScreenTimeRule.source.key,
    "What counts as screen time: all the time that a child is at the machine, whatever runs, or that of programs alone.",
    value: "sessions|programs")
  var screenTime: Setting?

  @Option(
    number: ScreenTimeRule.grace.key,
    "How long a child counts as being there without touching anything, as in a film; a locked screen ends it at once.",
    value: "time")
  var screenGrace: Setting?

  @Option(word: ScreenTimeRule.learning.key, "Whether learning counts as screen time.", value: "counts|free")
  var learning: Setting?

  @Option(number: ChildRule.dayStart.key, "When a day begins, 0 to 23.", value: "hour") var dayStart: Setting?

  @Option(help: .value("zone", "The zone that days are in, such as Europe/Berlin."), transform: Setting.zone)
  var zone: Setting?

  mutating func validate() throws {
    if machine != nil {
      throw ValidationError("These rules are the whole family's and hold on every machine: leave out --on.")
    }
    if family, child != nil {
      throw ValidationError("A rule is one child's or the family's: give --child, or leave it out for the family.")
    }
    guard !changes.isEmpty else { throw ValidationError("Nothing is to be changed: give at least one option.") }
    if child != nil, zone != nil || dayStart != nil {
      throw ValidationError("The zone and the hour at which days begin are the whole family's: leave out --child.")
    }
    if defaultPointsPerMinute != nil, learningPointsPerMinute != nil || rewardPointsPerMinute != nil {
      throw ValidationError(
        "Give --default-points-per-minute, or --learning-points-per-minute and --reward-points-per-minute.")
    }
  }

  /// The options that set a rule, each with its rule, in the order in which they are set.
  static let rules: [(option: String, key: RuleKey, value: any KeyPath<Self, Setting?> & Sendable)] = [
    ("--points", PointsRule.mode.key, \Self.points), ("--rewards", PointsRule.use.key, \Self.rewards),
    ("--learning-points-per-minute", CategoryRule.rate.key(of: .learning), \Self.learningRate),
    ("--reward-points-per-minute", CategoryRule.rate.key(of: .reward), \Self.rewardRate),
    ("--minutes-per-point", PointsRule.minutesPerPoint.key, \Self.minutesPerPoint),
    ("--redemption-days", PointsRule.redemptionDays.key, \Self.redemptionDays),
    ("--minimum-session", PointsRule.minimumSession.key, \Self.minimumSession),
    ("--daily-points-limit", PointsRule.dailyCap.key, \Self.dailyPointsLimit),
    ("--weekly-points-limit", PointsRule.weeklyCap.key, \Self.weeklyPointsLimit),
    ("--daily-reward-limit", CategoryRule.limit.key(of: .reward), \Self.dailyReward),
    ("--weekly-reward-limit", CategoryRule.weekly.key(of: .reward), \Self.weeklyRewardLimit),
    ("--unknown-programs", ScreenTimeRule.unknownPrograms.key, \Self.unknownPrograms),
    ("--programs", ScreenTimeRule.programs.key, \Self.programs),
    ("--sessions", ScreenTimeRule.sessions.key, \Self.sessions),
    ("--screen-time", ScreenTimeRule.source.key, \Self.screenTime),
    ("--screen-grace", ScreenTimeRule.grace.key, \Self.screenGrace),
    ("--learning", ScreenTimeRule.learning.key, \Self.learning),
    ("--day-start", ChildRule.dayStart.key, \Self.dayStart),
    ("--zone", ChildRule.zone.key, \Self.zone),
  ]

  private var learningRate: Setting? { defaultPointsPerMinute ?? learningPointsPerMinute }

  private var rewardRate: Setting? { defaultPointsPerMinute ?? rewardPointsPerMinute }

  /// For a child, no limit holds instead of the family's; for the family, it is the default.
  private var dailyReward: Setting? {
    dailyRewardLimit.map { child == nil && $0.text == "none" ? Setting(text: nil) : $0 }
  }

  private var changes: [RuleRequest.Change] {
    let rewardLimit = CategoryRule.limit.key(of: .reward)
    let replaced =
      dailyRewardLimit == nil ? [] : DayLimits.Change.removal(of: rewardLimit.text, on: DayLimits.Change.weekdays)
    return Self.rules.compactMap { rule in self[keyPath: rule.value].map { rule.key.change($0.text) } } + replaced
  }

  func run() async throws {
    let owner = child.map { RuleOwner.child($0) } ?? .family
    let interface = try await node.open()
    try await RuleIssue.set(RuleRequest(changes), of: owner, at: interface, options: options)
    if programs?.text == "listed" {
      console.note(
        "`latchkey apps scan` lists what is installed and its categories, and `latchkey apps refused` what was closed since."
      )
      let installed = (try? await interface.ask(Endpoints.getInstalled, (nil, nil))) ?? []
      console.note(Self.byDefault(installed, of: child))
    }
  }

  /// Returns a sentence on applications with a category by default, which does not list them, with
  /// the command that lists one; `child` is as a person typed it, `nil` for the family.
  private static func byDefault(_ installed: [InstalledListing], of child: String?) -> String {
    let rule =
      "Well-known games have a category by default, which does not list them: an application is listed once you set one"
    var found: [(app: InstalledListing.App, category: AppCategory)] = []
    for app in installed.flatMap(\.apps) where !found.contains(where: { $0.app.appID == app.appID }) {
      let settings = app.settings.filter { setting in
        child.map { setting.childName.text.lowercased() == $0.lowercased() } ?? true
      }
      if let category = settings.first(where: \.isByDefault)?.category { found.append((app, category)) }
    }
    guard let (app, category) = found.first else { return rule + "." }
    let names = Dictionary(installed.flatMap(\.apps).map { ($0.appID, $0.displayName) }) { first, _ in first }
    let word = ShellWord.person(RuleTerms(names: names).argument(app.appID))
    let whose = child.map { "--child \(ShellWord.person($0))" } ?? "--family"
    return rule + ", such as with `latchkey app set \(word) \(whose) --category \(category.rawValue)`."
  }
}
