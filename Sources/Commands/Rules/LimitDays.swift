/// The limits of the weekdays, as a person changes them one by one.
struct LimitDays: Hashable, Sendable {
  /// The minutes of each weekday, Monday first; `nil` for no limit.
  private(set) var minutes: [Int?]

  private static let names = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"]

  /// Creates the limits that a rule sets, such as `90` or `mon-fri 90, sat-sun 120`; no limits without a rule.
  init(rule: String?) {
    minutes = Array(repeating: nil, count: 7)
    for item in (rule ?? "").split(separator: ",") {
      let words = item.split(separator: " ").map(String.init)
      guard let number = words.last.flatMap({ Int($0) }) else { continue }
      let days = words.count > 1 ? Self.days(words[0]) : 0...6
      for day in days ?? 0...6 { minutes[day] = number }
    }
  }

  /// The limits as a rule is written; `nil` if there are none.
  var rule: String? {
    if let first = minutes[0], minutes.allSatisfy({ $0 == first }) { return String(first) }
    var items: [String] = []
    var day = 0
    while day < 7 {
      var last = day
      while last < 6, minutes[last + 1] == minutes[day] { last += 1 }
      let names = day == last ? Self.names[day] : "\(Self.names[day])-\(Self.names[last])"
      if let limit = minutes[day] { items.append("\(names) \(limit)") }
      day = last + 1
    }
    return items.isEmpty ? nil : items.joined(separator: ", ")
  }

  /// The limit from Monday to Friday, in minutes; `nil` if these days differ.
  private var weekday: Int?? { minutes[..<5].allSatisfy { $0 == minutes[0] } ? .some(minutes[0]) : nil }

  /// A Boolean value that indicates whether Saturday or Sunday has another limit than the other days.
  var hasWeekends: Bool {
    guard let weekday else { return true }
    return minutes[5...].contains { $0 != weekday }
  }

  /// Sets the limit of every day; that of Saturday and Sunday stays if they have one of their own.
  mutating func set(_ change: LimitChange) {
    switch change {
    case .everyDay(let limit):
      let days = hasWeekends ? 0..<5 : 0..<7
      for day in days { minutes[day] = limit }
    case .byDay(let limits):
      for (day, limit) in limits { minutes[day] = limit }
    }
  }

  /// Sets the limit of Saturday and Sunday.
  mutating func setWeekends(_ limit: Int?) { for day in 5...6 { minutes[day] = limit } }

  /// Gives Saturday and Sunday the limit of the other days; returns `false` if those differ.
  mutating func removeWeekends() -> Bool {
    guard let weekday else { return false }
    setWeekends(weekday)
    return true
  }

  /// Returns the days of a word such as `mon` or `fri-sun`; `nil` if it names none.
  static func days(_ word: some StringProtocol) -> ClosedRange<Int>? {
    let ends = word.split(separator: "-", omittingEmptySubsequences: false).map { end in
      names.firstIndex { end.lowercased().hasPrefix($0) && end.allSatisfy(\.isLetter) }
    }
    guard (1...2).contains(ends.count), let first = ends[0], let last = ends[ends.count - 1], first <= last else {
      return nil
    }
    return first...last
  }
}

/// A change of a limit a day: of every day, or of some weekdays.
enum LimitChange: Hashable, Sendable {
  /// The minutes of every day; `nil` for no limit.
  case everyDay(Int?)
  /// The minutes of each weekday that is named, 0 for Monday; `nil` for no limit.
  case byDay([Int: Int?])

  /// Reads a limit such as `2h`, `none`, or `mon-thu 2h, fri-sun 3h`.
  init?(_ text: String) {
    if let limit = Self.limit(text) {
      self = .everyDay(limit)
      return
    }
    var limits: [Int: Int?] = [:]
    for item in text.split(separator: ",", omittingEmptySubsequences: false) {
      let words = item.split(separator: " ", maxSplits: 1)
      guard words.count == 2, let days = LimitDays.days(words[0]), let limit = Self.limit(String(words[1])) else {
        return nil
      }
      for day in days where limits.updateValue(limit, forKey: day) != nil { return nil }
    }
    guard !limits.isEmpty else { return nil }
    self = .byDay(limits)
  }

  /// Returns the minutes of a limit a day, `.some(nil)` for `none`; `nil` for any other text.
  static func limit(_ text: String) -> Int?? {
    if text.lowercased() == "none" { return .some(nil) }
    guard let minutes = SpanReader.minutes(text), (0...1_440).contains(minutes) else { return nil }
    return .some(minutes)
  }
}
