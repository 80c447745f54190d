import LatchkeyModel
import LatchkeyRules

extension RuleSet {
  /// Returns the rules that hold on a machine: those of its only child, or the family's if it serves none or several.
  public static func read(_ registers: [Register], onMachine device: DeviceID) -> RuleSet {
    let children = HouseholdKey.children(servedIn: registers.filter { $0.zone == .machine(device) })
    return read(registers, child: children.count == 1 ? children[0] : nil).rules
  }
}

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
