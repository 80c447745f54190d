/// A day of the week, Monday first as in ISO 8601.
public enum Weekday: Int, CaseIterable, Hashable, Sendable, Comparable {
  case monday
  case tuesday
  case wednesday
  case thursday
  case friday
  case saturday
  case sunday

  /// Creates the weekday of a three-letter word such as `mon`; `nil` for any other text.
  public init?(word: some StringProtocol) {
    guard let day = Self.allCases.first(where: { $0.word == word }) else { return nil }
    self = day
  }

  /// The weekday in three letters: `mon` to `sun`.
  public var word: String {
    switch self {
    case .monday: "mon"
    case .tuesday: "tue"
    case .wednesday: "wed"
    case .thursday: "thu"
    case .friday: "fri"
    case .saturday: "sat"
    case .sunday: "sun"
    }
  }

  /// Returns whether `left` comes before `right` in a week that begins on Monday.
  public static func < (left: Weekday, right: Weekday) -> Bool { left.rawValue < right.rawValue }
}

extension FamilyDay {
  public var weekday: Weekday {
    // 1970-01-01 was a Thursday. The first supported day is in 1900, so the sum is made positive.
    Weekday.allCases[Int((daysSinceEpoch + 3 + 7 * 10_000) % 7)]
  }

  /// The Monday of the day's ISO week.
  public var startOfWeek: FamilyDay { advanced(byDays: -weekday.rawValue) }

  /// Returns the number of days from `earlier` to this day, negative if this day is the earlier
  /// one.
  public func days(since earlier: FamilyDay) -> Int { Int(daysSinceEpoch - earlier.daysSinceEpoch) }
}
