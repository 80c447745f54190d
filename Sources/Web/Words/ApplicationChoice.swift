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
    if app.isAlwaysAllowed { return Phrase("always") }
    return whole(app.hours, app.groups.map { ($0.name, $0.hours) }) ?? Phrase("by the rules")
  }

  /// Returns the limit a day of an application and those of its groups; `nil` for none.
  static func limit(_ app: KnownApplications.App) -> Phrase? {
    whole(app.limit, app.groups.map { ($0.name, $0.limit) })
  }

  /// Returns the groups of an application; `nil` for none.
  static func groups(_ app: KnownApplications.App) -> Phrase? {
    app.groups.isEmpty ? nil : Phrase("in {groups}", ["groups": .list(app.groups.map { .text($0.name) })])
  }

  /// Returns what an application's own rule and those of its groups say, such as "1 h and 2 h with
  /// Blocks"; `nil` without any.
  private static func whole(_ own: Phrase?, _ groups: [(name: String, words: Phrase?)]) -> Phrase? {
    let ofGroups = groups.compactMap { group in
      group.words.map { Phrase("{rule} with {group}", ["rule": .phrase($0), "group": .text(group.name)]) }
    }
    let all = [own].compactMap(\.self) + ofGroups
    return all.count > 1 ? Phrase("{rules}", ["rules": .list(all.map { .phrase($0) })]) : all.first
  }
}
