import LatchkeyModel

/// The choices about applications, with the words for them.
enum ApplicationChoice {
  static let categories: [(word: String, label: Phrase)] =
    [("", Phrase("as it is"))] + AppCategory.allCases.map { ($0.rawValue, PageWords.title($0)) } + [
      ("none", Phrase("no category of its own"))
    ]

  static let uses: [(word: String, label: Phrase)] = [
    ("", Phrase("as it is")), ("block", Phrase("blocked")), ("unblock", Phrase("not blocked")),
    ("always", Phrase("always allowed")),
    ("sometimes", Phrase("not always allowed")),
  ]

  /// Returns the category of an application.
  static func category(_ app: KnownApplications.App) -> Phrase {
    guard let category = app.category else { return Phrase("none yet") }
    return app.isByDefault
      ? Phrase("{category}, by default", ["category": .phrase(PageWords.title(category))]) : PageWords.title(category)
  }

  /// Returns whether an application may be used.
  static func allowed(_ app: KnownApplications.App) -> Phrase {
    if !app.isEnabled { return Phrase("its rules are off") }
    if app.isBlocked { return Phrase("blocked") }
    return app.isAlwaysAllowed ? Phrase("always") : Phrase("by the rules")
  }
}
