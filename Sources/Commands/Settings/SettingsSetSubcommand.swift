import ArgumentParser
import LatchkeyModel

/// The `latchkey settings set` subcommand.
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

  @Option(name: .customLong("on"), help: .hidden)
  var machine: String?

  @Option(
    help: ArgumentHelp("For this child alone instead of the family.", valueName: "child"),
    completion: CompletionNames.children)
  var child: String?

  @Option(
    help: ArgumentHelp("Whether learning earns points and rewards cost them.", valueName: "on|off"),
    transform: SettingValue.points)
  var points: SettingValue?

  @Option(
    help: ArgumentHelp(
      "Whether rewards cost points as they run, or minutes are bought before.", valueName: "pay-as-you-go|redeem-first"),
    transform: SettingValue.rewards)
  var rewards: SettingValue?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("For learning and rewards without a rate of their own.", valueName: "points"),
    transform: SettingValue.rate)
  var defaultPointsPerMinute: SettingValue?

  @Option(
    parsing: .unconditional, help: ArgumentHelp("The same for learning alone.", valueName: "points"),
    transform: SettingValue.rate)
  var learningPointsPerMinute: SettingValue?

  @Option(
    parsing: .unconditional, help: ArgumentHelp("The same for rewards alone.", valueName: "points"),
    transform: SettingValue.rate)
  var rewardPointsPerMinute: SettingValue?

  @Option(
    parsing: .unconditional, help: ArgumentHelp("What one redeemed point buys.", valueName: "minutes"),
    transform: SettingValue.pointBuys)
  var minutesPerPoint: SettingValue?

  @Option(
    parsing: .unconditional, help: ArgumentHelp("How long redeemed minutes last.", valueName: "days"),
    transform: SettingValue.days)
  var redemptionDays: SettingValue?

  @Option(
    parsing: .unconditional, help: ArgumentHelp("Shorter sessions earn nothing.", valueName: "minutes"),
    transform: SettingValue.session)
  var minimumSession: SettingValue?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("The most that learning earns a day.", valueName: "points|none"),
    transform: SettingValue.mostPoints)
  var dailyPointsLimit: SettingValue?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("The most that learning earns a week.", valueName: "points|none"),
    transform: SettingValue.mostPoints)
  var weeklyPointsLimit: SettingValue?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("The most reward a day, such as 45min or 1h30m.", valueName: "time|none"),
    transform: SettingValue.daily)
  var dailyRewardLimit: SettingValue?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("The most reward a week, such as 5h.", valueName: "time|none"), transform: SettingValue.weekly)
  var weeklyRewardLimit: SettingValue?

  @Option(
    help: ArgumentHelp(
      "Programs that are no known application, from a place the child can write to: allow them and count them as screen "
        + "time, treat them as rewards, which cost points also in the background, or block them.",
      valueName: "count|reward|block"),
    transform: SettingValue.unknownPrograms)
  var unknownPrograms: SettingValue?

  @Option(
    help: ArgumentHelp(
      "When nothing may be used but what is always allowed: leave the child logged in, lock the screen again and again, "
        + "the same unless a program runs that is always allowed, or end the child's sessions.",
      valueName: "leave|lock|lock-unless-allowed|close"),
    transform: SettingValue.sessions)
  var sessions: SettingValue?

  @Option(
    help: ArgumentHelp(
      "What counts as screen time: all the time that a child is at the machine, whatever runs, or that of programs alone.",
      valueName: "sessions|programs"),
    transform: SettingValue.screenTime)
  var screenTime: SettingValue?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "How long a child counts as being there without touching anything, as in a film; a locked screen ends it at once.",
      valueName: "time"),
    transform: SettingValue.grace)
  var screenGrace: SettingValue?

  @Option(
    help: ArgumentHelp("Whether learning counts as screen time.", valueName: "counts|free"),
    transform: SettingValue.learning)
  var learning: SettingValue?

  @Option(
    parsing: .unconditional, help: ArgumentHelp("When a day begins, 0 to 23.", valueName: "hour"),
    transform: SettingValue.hour)
  var dayStart: SettingValue?

  @Option(
    help: ArgumentHelp("The zone that days are in, such as Europe/Berlin.", valueName: "zone"),
    transform: SettingValue.zone)
  var zone: SettingValue?

  mutating func validate() throws {
    if machine != nil {
      throw ValidationError("These rules are the whole family's and hold on every machine: leave out --on.")
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

  /// For a child, no limit holds instead of the family's; for the family, it is the default.
  private var dailyReward: SettingValue? {
    dailyRewardLimit.map { child == nil && $0.rule == "none" ? SettingValue(rule: nil) : $0 }
  }

  private var changes: [RuleRequest.Change] {
    let values: [(String, SettingValue?)] = [
      ("mode", points), ("points/use", rewards),
      ("category/learning/rate", defaultPointsPerMinute ?? learningPointsPerMinute),
      ("category/reward/rate", defaultPointsPerMinute ?? rewardPointsPerMinute),
      ("points/minutesPerPoint", minutesPerPoint), ("points/redemptionDays", redemptionDays),
      ("points/minimumSession", minimumSession), ("points/dailyCap", dailyPointsLimit),
      ("points/weeklyCap", weeklyPointsLimit), ("category/reward/limit", dailyReward),
      ("category/reward/weekly", weeklyRewardLimit), ("unknownPrograms", unknownPrograms),
      ("sessions", sessions), ("screenTime/source", screenTime), ("screenTime/grace", screenGrace),
      ("screenTime/learning", learning),
      ("family/dayStart", dayStart), ("family/zone", zone),
    ]
    let replaced = dailyRewardLimit == nil ? [] : LimitKeys(.reward).removal(of: LimitKeys.weekdays)
    return values.compactMap { key, value in value.map { .init(key, $0.rule) } } + replaced
  }

  func run() async throws {
    let owner = child.map { RuleOwner.child($0) } ?? .family
    try await RuleIssue.set(RuleRequest(changes), of: owner, at: node.open(), options: options)
  }
}
