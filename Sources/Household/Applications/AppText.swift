import LatchkeyModel

extension AppConfiguration {
  /// The rules without the application's name, on one line.
  public var summary: String { terms(isBlocked ? ["blocked"] : []) }

  /// The rules without the application's name and whether it is blocked, on one line.
  var unblockedSummary: String { terms([]) }

  private func terms(_ blocking: [String]) -> String {
    var words = [category.rawValue]
    if category != .neutral { words.append("\(PointsText.counted(milliPointsPerMinute)) a minute") }
    words += blocking
    if !isEnabled { words.append("rules switched off") }
    if let limit = dailyLimitMinutes { words.append("at most \(SpanText.minutes(limit)) a day") }
    return words.joined(separator: ", ")
  }
}

extension Enforcement {
  /// A sentence that says how far a machine enforces a rule.
  public var summary: String {
    switch self {
    case .recorded: "The rule is recorded and shown there; this version does not close applications."
    case .enforced: "The rule is enforced there."
    }
  }
}
