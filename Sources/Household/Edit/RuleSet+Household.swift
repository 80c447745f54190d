import LatchkeyModel
import LatchkeyRules

extension FamilySettings {
  /// Creates the settings that rules of the whole family make.
  public init(_ rules: RuleSet) {
    func rate(_ category: AppCategory) -> Int64 { rules.categories[category]?.rate ?? RuleSet.usualRate }
    self.init(
      learningMilliPointsPerMinute: rate(.learning), rewardMilliPointsPerMinute: rate(.reward),
      minutesPerPoint: rules.points.minutesPerPoint, minimumSessionMinutes: rules.points.minimumSession,
      dailyRewardLimit: rules.categories[.reward]?.limit?.text,
      weeklyRewardLimitMinutes: rules.categories[.reward]?.weekly, dayStartHour: rules.dayStartHour, zone: rules.zone)
  }
}
