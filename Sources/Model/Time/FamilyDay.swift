/// A day in the Gregorian calendar, such as `2026-11-21`, without a zone or a start hour.
public struct FamilyDay: Hashable, Sendable, Comparable, TextCodable {
  public static let noun = "a day such as 2026-11-21"

  /// The first supported day: 1900-01-01.
  public static let first = FamilyDay(daysSinceEpoch: -25_567)
  /// The last supported day: 9999-12-31.
  public static let last = FamilyDay(daysSinceEpoch: 2_932_896)

  /// The number of whole days since 1970-01-01.
  package let daysSinceEpoch: Int64

  /// Creates a day from the number of days since 1970-01-01, limited to the supported days.
  package init(daysSinceEpoch: Int64) { self.daysSinceEpoch = min(max(daysSinceEpoch, -25_567), 2_932_896) }

  /// Creates a day from the form of `description`; `nil` for other texts and before 1900.
  public init?(_ text: String) {
    let parts = text.utf8.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
    guard parts.map(\.count) == [4, 2, 2] else { return nil }
    var numbers: [Int64] = []
    for part in parts {
      guard part.allSatisfy(\.isDigit) else { return nil }
      numbers.append(part.reduce(0) { $0 * 10 + Int64($1 - UInt8(ascii: "0")) })
    }
    let day = FamilyDay(year: numbers[0], month: numbers[1], day: numbers[2])
    // A date that does not exist, such as February 30, results in another date, as does a year
    // before 1900.
    guard (1...12).contains(numbers[1]), day.description == text else { return nil }
    self = day
  }

  private init(year: Int64, month: Int64, day: Int64) {
    // Years are counted from March, so that a leap day is the last day of its year.
    let marchYear = month > 2 ? year : year - 1
    let marchMonth = (month + 9) % 12
    let leapDays = marchYear / 4 - marchYear / 100 + marchYear / 400
    let dayOfYear = (153 * marchMonth + 2) / 5 + day - 1
    self.init(daysSinceEpoch: marchYear * 365 + leapDays + dayOfYear - 719_468)
  }

  /// The day as year, month and day: ten characters.
  public var description: String {
    let days = daysSinceEpoch + 719_468
    let century = (4 * days + 3) / 146_097
    let dayOfCentury = days - century * 146_097 / 4
    let yearOfCentury = (4 * dayOfCentury + 3) / 1_461
    let dayOfYear = dayOfCentury - yearOfCentury * 1_461 / 4
    let marchMonth = (5 * dayOfYear + 2) / 153
    let day = dayOfYear - (153 * marchMonth + 2) / 5 + 1
    let month = marchMonth < 10 ? marchMonth + 3 : marchMonth - 9
    let year = century * 100 + yearOfCentury + (marchMonth < 10 ? 0 : 1)
    return "\(Self.padded(year, to: 4))-\(Self.padded(month, to: 2))-\(Self.padded(day, to: 2))"
  }

  /// Returns the day a number of days later, or earlier if negative, limited to the supported days.
  public func advanced(byDays days: Int) -> FamilyDay {
    let (sum, overflow) = daysSinceEpoch.addingReportingOverflow(Int64(days))
    return overflow ? (days < 0 ? .first : .last) : FamilyDay(daysSinceEpoch: sum)
  }

  public static func < (left: FamilyDay, right: FamilyDay) -> Bool { left.daysSinceEpoch < right.daysSinceEpoch }

  private static func padded(_ number: Int64, to width: Int) -> String {
    let digits = String(number)
    return String(repeating: "0", count: max(0, width - digits.count)) + digits
  }

  public var weekday: Weekday {
    // 1970-01-01 was a Thursday. The first supported day is in 1900, so the sum is made positive.
    Weekday.allCases[Int((daysSinceEpoch + 3 + 7 * 10_000) % 7)]
  }

  /// The Monday of the day's ISO week.
  public var startOfWeek: FamilyDay { advanced(byDays: -weekday.rawValue) }

  /// Returns the number of days from `earlier` to this day, which may be negative.
  public func days(since earlier: FamilyDay) -> Int { Int(daysSinceEpoch - earlier.daysSinceEpoch) }
}

/// A day, or several days on end, such as `2026-12-23..2027-01-06`.
public struct DayRange: Hashable, Sendable, CustomStringConvertible {
  /// The most days: a year.
  public static let mostDays: Int64 = 366

  public let first: FamilyDay
  public let last: FamilyDay

  public init(_ day: FamilyDay) { (first, last) = (day, day) }

  /// Creates a range; `nil` if it ends before it begins or is longer than a year.
  public init?(_ first: FamilyDay, through last: FamilyDay) {
    guard (0..<Self.mostDays).contains(last.daysSinceEpoch - first.daysSinceEpoch) else { return nil }
    (self.first, self.last) = (first, last)
  }

  /// Creates a range from the form of `description`; `nil` for any other text.
  public init?(_ text: String) {
    if let day = FamilyDay(text) {
      self.init(day)
    } else {
      let ends = text.split(separator: "..", omittingEmptySubsequences: false).map { FamilyDay(String($0)) }
      guard ends.count == 2, let first = ends[0], let last = ends[1], first < last else { return nil }
      self.init(first, through: last)
    }
  }

  public func contains(_ day: FamilyDay) -> Bool { first <= day && day <= last }

  /// The day, or the first and the last with two dots between them.
  public var description: String { first == last ? first.description : "\(first)..\(last)" }
}

/// A day of the week, Monday first as in ISO 8601.
public enum Weekday: Int, CaseIterable, Hashable, Sendable, Comparable {
  case monday, tuesday, wednesday, thursday, friday, saturday, sunday

  private static let words = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"]

  /// Creates the weekday of a three-letter word such as `mon`; `nil` for any other text.
  public init?(word: some StringProtocol) {
    guard let number = Self.words.firstIndex(where: { $0 == word }) else { return nil }
    self.init(rawValue: number)
  }

  /// The weekday in three letters: `mon` to `sun`.
  public var word: String { Self.words[rawValue] }

  /// Returns whether `left` comes before `right` in a week that begins on Monday.
  public static func < (left: Weekday, right: Weekday) -> Bool { left.rawValue < right.rawValue }
}
