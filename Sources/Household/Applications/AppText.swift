import LatchkeyModel

extension AppConfiguration {
  /// The rules without the application's name, on one line.
  public var summary: String {
    var words = [category.rawValue]
    if category != .neutral { words.append("\(PointsText.text(milliPointsPerMinute)) points a minute") }
    if isBlocked { words.append("blocked") }
    if !isEnabled { words.append("rules switched off") }
    if let limit = dailyLimitMinutes { words.append("at most \(limit) min a day") }
    return words.joined(separator: ", ")
  }
}

extension Enforcement {
  /// How far a machine holds to a rule, in words.
  public var summary: String {
    switch self {
    case .recorded: "recorded there: that version shows rules and closes nothing"
    case .enforced: "enforced there"
    }
  }
}
