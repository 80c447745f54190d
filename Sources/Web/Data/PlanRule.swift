import LatchkeyModel
import LatchkeyRules

/// A rule about times or limits that a parent changes on a page.
enum PlanRule: String, CaseIterable, Hashable, Sendable {
  case bedtime, school, reward, daily, weekly, breaks, carryOver

  /// The key of the rule of every day.
  var key: RuleKey {
    switch self {
    case .bedtime: ChildRule.bedtime.key
    case .school: ChildRule.school.key
    case .reward: ChildRule.rewardTimes.key
    case .daily: ChildRule.dailyLimit.key
    case .weekly: ChildRule.weeklyLimit.key
    case .breaks: ChildRule.breaks.key
    case .carryOver: ChildRule.carryOver.key
    }
  }

  /// The keys under which the rule of every day can be set: its own, and those of weekdays.
  var keys: [RuleKey] { self == .daily ? [key] + Weekday.allCases.map { key.on($0) } : [key] }

  /// Returns the key of the rule for some days instead; `nil` if it cannot be set for single days.
  func key(on days: DayRange) -> RuleKey? {
    switch self {
    case .bedtime: DayRule.bedtime.key(on: days)
    case .school: DayRule.school.key(on: days)
    case .reward: DayRule.rewardTimes.key(on: days)
    case .daily: DayRule.limit.key(on: days)
    case .weekly, .breaks, .carryOver: nil
    }
  }

  /// What the table of rules says of the rule for some days; `nil` if there is none.
  var entryOfDays: RuleEntry? {
    switch self {
    case .bedtime: DayRule.bedtime.entry
    case .school: DayRule.school.entry
    case .reward: DayRule.rewardTimes.entry
    case .daily: DayRule.limit.entry
    case .weekly, .breaks, .carryOver: nil
    }
  }

  /// A Boolean value that indicates whether it says times and not a length.
  var isOfTimes: Bool { [.bedtime, .school, .reward].contains(self) }

  var title: Phrase {
    switch self {
    case .bedtime: Phrase("Bedtime")
    case .school: Phrase("School time")
    case .reward: Phrase("Reward times")
    case .daily: Phrase("Screen time a day")
    case .weekly: Phrase("Screen time a week")
    case .breaks: Phrase("Breaks")
    case .carryOver: Phrase("Unused time for the next day")
    }
  }

  /// What the rule does.
  var meaning: Phrase {
    switch self {
    case .bedtime: Phrase("Only what is always allowed is open.")
    case .school: Phrase("Only learning is open, and what is always allowed.")
    case .reward: Phrase("Rewards are open only then. Without such times, they are open at any time.")
    case .daily: Phrase("The most screen time on a day.")
    case .weekly: Phrase("The most screen time from Monday to Sunday.")
    case .breaks: Phrase("After so much screen time without a pause, only what is always allowed is open for a while.")
    case .carryOver: Phrase("The most unused screen time that goes over to the next day of the week.")
    }
  }

  /// The label of its field.
  var label: Phrase {
    switch self {
    case .bedtime, .school, .reward: Phrase("Times")
    case .daily: Phrase("Time a day")
    case .weekly: Phrase("Time a week")
    case .breaks: Phrase("A break is due after")
    case .carryOver: Phrase("At most")
    }
  }

  var hint: Phrase {
    switch self {
    case .bedtime:
      Phrase("Such as 20:00-07:00, or mon-fri 20:00-07:00, sat-sun 21:00-08:00. Write none for no bedtime.")
    case .school: Phrase("Such as mon-fri 8:00-13:00. Write none for no school time.")
    case .reward: Phrase("Such as mon-fri 16:00-18:00, sat-sun 10:00-18:00. Write none for any time.")
    case .daily: Phrase("Such as 2h, or mon-fri 1h30m, sat-sun 3h, or a number of minutes. Write none for no limit.")
    case .weekly: Phrase("Such as 10h, or a number of minutes. Write none for no limit.")
    case .breaks: Phrase("Such as 45min, and 10min for the length. Write none for no breaks.")
    case .carryOver: Phrase("Such as 30min. Write none if nothing goes over.")
    }
  }
}
