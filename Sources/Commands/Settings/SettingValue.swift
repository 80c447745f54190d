import ArgumentParser
import Foundation
import LatchkeyModel

/// What a person gives for a setting: a value, or `default` to go back to the default.
struct SettingValue: Hashable, Sendable {
  /// The value as its rule is written; `nil` removes the rule.
  let rule: String?

  private static func read(
    _ text: String, _ fault: String, _ value: (String) throws -> String?
  ) throws -> SettingValue {
    if ["default", "none"].contains(text.lowercased()) { return SettingValue(rule: nil) }
    guard let rule = try value(text) else { throw ValidationError(fault) }
    return SettingValue(rule: rule)
  }

  private static func read(_ text: String, _ words: [String: String]) throws -> SettingValue {
    if text.lowercased() == "default" { return SettingValue(rule: nil) }
    guard let rule = words[text.lowercased()] else {
      throw ValidationError("Give \(words.keys.sorted().joined(separator: ", ")) or default.")
    }
    return SettingValue(rule: rule)
  }

  /// Reads whether points are used.
  @Sendable static func points(_ text: String) throws -> SettingValue {
    try read(text, ["on": "points", "off": "limits"])
  }

  /// Reads how rewards are paid.
  @Sendable static func rewards(_ text: String) throws -> SettingValue {
    try read(text, ["pay-as-you-go": "payAsYouGo", "redeem-first": "redeemFirst"])
  }

  /// Reads how unknown programs are treated.
  @Sendable static func unknownPrograms(_ text: String) throws -> SettingValue {
    try read(text, ["count": "count", "reward": "reward", "block": "block"])
  }

  /// Reads what is done about sessions.
  @Sendable static func sessions(_ text: String) throws -> SettingValue {
    try read(text, ["leave": "leave", "lock": "lock", "lock-unless-allowed": "lockUnlessAllowed", "close": "close"])
  }

  /// Reads what is measured as screen time.
  @Sendable static func screenTime(_ text: String) throws -> SettingValue {
    try read(text, ["sessions": "sessions", "programs": "programs"])
  }

  /// Reads whether learning counts as screen time.
  @Sendable static func learning(_ text: String) throws -> SettingValue {
    try read(text, ["counts": "counts", "free": "free"])
  }

  /// Reads the minutes for which a child is taken to be there.
  @Sendable static func grace(_ text: String) throws -> SettingValue {
    try minutes(text, 1...240, "A child is taken to be there for 1 to 240 minutes: give a time such as 1h or 30min.")
  }

  /// Reads points a minute.
  @Sendable static func rate(_ text: String) throws -> SettingValue {
    try read(text, "") { String(try PointsText.readRate($0)) }
  }

  /// Reads the most points of a day or a week.
  @Sendable static func mostPoints(_ text: String) throws -> SettingValue {
    try read(text, "Give a number of points from 0 to 1,000,000, such as 60, or none.") {
      PointsText.milliPoints($0).map { String($0) }
    }
  }

  /// Reads the minutes that a redeemed point buys.
  @Sendable static func pointBuys(_ text: String) throws -> SettingValue {
    try minutes(text, 1...1_440, "A point buys 1 to 1,440 minutes: give a number such as 3.")
  }

  /// Reads the minutes of the shortest session that earns.
  @Sendable static func session(_ text: String) throws -> SettingValue {
    try minutes(text, 0...1_440, "The shortest session is 0 to 1,440 minutes: give a number such as 5.")
  }

  private static func minutes(_ text: String, _ range: ClosedRange<Int>, _ fault: String) throws -> SettingValue {
    try read(text, fault) { text in
      SpanReader.minutes(text).flatMap { range.contains($0) ? String($0) : nil }
    }
  }

  /// Reads the days for which redeemed minutes last.
  @Sendable static func days(_ text: String) throws -> SettingValue {
    try read(text, "Redeemed minutes last 1 to 366 days: give a number such as 7.") { text in
      let days = Int(text) ?? SpanReader.milliseconds(text).map { Int(clamping: $0 / 86_400_000) }
      return days.flatMap { (1...366).contains($0) ? String($0) : nil }
    }
  }

  /// Reads the hour at which a day begins.
  @Sendable static func hour(_ text: String) throws -> SettingValue {
    try read(text, "A day begins at an hour from 0 to 23: give one such as 4.") { text in
      let hour = Int(text.hasSuffix(":00") ? String(text.dropLast(3)) : text)
      return hour.flatMap { (0...23).contains($0) ? String($0) : nil }
    }
  }

  /// Reads a time zone.
  @Sendable static func zone(_ text: String) throws -> SettingValue {
    try read(text, "") { text in
      let known = TimeZone.knownTimeZoneIdentifiers
      if let exact = known.first(where: { $0.lowercased() == text.lowercased() }) { return exact }
      if TimeZone(identifier: text) != nil, text.contains("/") || text == "UTC" { return text }
      let question = Spelling.question(for: text, among: known)
      throw ValidationError(
        "There is no time zone “\(DeviceName(sanitising: text))”. "
          + (question.isEmpty ? "Give one such as Europe/Berlin." : question))
    }
  }

  /// Reads a limit of reward use a day.
  @Sendable static func daily(_ text: String) throws -> SettingValue {
    if text.lowercased() == "none" { return SettingValue(rule: "none") }
    if text.lowercased() == "default" { return SettingValue(rule: nil) }
    return try limit(UseLimit.readDaily(text))
  }

  /// Reads a limit of reward use a week.
  @Sendable static func weekly(_ text: String) throws -> SettingValue {
    text.lowercased() == "default" ? SettingValue(rule: nil) : try limit(UseLimit.readWeekly(text))
  }

  private static func limit(_ limit: UseLimit) throws -> SettingValue {
    SettingValue(rule: limit.value.map { String($0) })
  }
}
