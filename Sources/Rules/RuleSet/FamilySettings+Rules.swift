import LatchkeyModel

extension FamilySettings {
  /// A setting: a rule of the whole family, with its name in the local API.
  public struct Member: Sendable {
    public let name: String
    public let key: RuleKey
    /// The value without a rule; `nil` if there is none, and the setting is left out.
    public let usual: String?

    /// A Boolean value that indicates whether it is a number in JSON.
    public var isNumber: Bool { if case .number = key.entry.values { true } else { false } }
  }

  /// All settings: those that the table names, and those of categories that have one.
  public static let members =
    RuleSet.rows.compactMap { row in
      row.entry.setting.map { Member(name: $0, key: RuleKey(.child(row)), usual: row.entry.usual) }
    } + [
      Member(name: "learningMilliPointsPerMinute", key: CategoryRule.rate.key(of: .learning), usual: usualRate),
      Member(name: "rewardMilliPointsPerMinute", key: CategoryRule.rate.key(of: .reward), usual: usualRate),
      Member(name: "dailyRewardLimit", key: CategoryRule.limit.key(of: .reward), usual: nil),
      Member(name: "weeklyRewardLimitMinutes", key: CategoryRule.weekly.key(of: .reward), usual: nil),
    ]

  private static let usualRate = String(RuleSet.usualRate)

  /// Creates the settings that rules of the whole family make.
  public init(_ rules: RuleSet) {
    self.init([:])
    for member in Self.members {
      guard let text = member.key.shown(in: rules) ?? member.usual else { continue }
      values[member.name] = member.isNumber ? Int64(text).map { .number($0) } : .text(text)
    }
  }
}

extension RuleSet {
  /// Creates the rules that make settings; what this version does not know is left out.
  public init(_ settings: FamilySettings) {
    self.init()
    for member in FamilySettings.members {
      switch settings.values[member.name] {
      case nil: break
      case .number(let number): try? member.key.set(String(number), in: &self)
      case .text(let text) where member.key.entry.hasWeekdays:
        guard let limits = try? DayLimits(text) else { break }
        for day in Weekday.allCases { try? member.key.on(day).set(DayLimits.text(of: limits[day]), in: &self) }
      case .text(let text): try? member.key.set(text, in: &self)
      }
    }
  }
}
