import LatchkeyModel

/// The choices about applications, with the words for them.
enum ApplicationChoice {
  static let categories: [(word: String, label: Phrase)] =
    [("", "as it is")] + AppCategory.allCases.map { ($0.rawValue, title($0)) } + [("none", "no category of its own")]

  static let uses: [(word: String, label: Phrase)] = [
    ("", "as it is"), ("block", "blocked"), ("unblock", "not blocked"), ("always", "always allowed"),
    ("sometimes", "not always allowed"),
  ]

  /// Returns the name of a category.
  static func title(_ category: AppCategory) -> Phrase {
    switch category {
    case .learning: "Learning"
    case .reward: "Rewards"
    case .neutral: "Neutral"
    }
  }

  /// Returns the category of an application.
  static func category(_ app: KnownApplications.App) -> Phrase {
    guard let category = app.category else { return "none yet" }
    return app.isByDefault
      ? Phrase("{category}, by default", ["category": .phrase(title(category))]) : title(category)
  }

  /// Returns whether an application may be used.
  static func allowed(_ app: KnownApplications.App) -> Phrase {
    if !app.isEnabled { return "its rules are off" }
    if app.isBlocked { return "blocked" }
    return app.isAlwaysAllowed ? "always" : "by the rules"
  }
}
