import LatchkeyModel
import LatchkeyNode
import LatchkeyRules

/// The applications of a child: those that are installed on its machines, have rules, or were used.
struct KnownApplications: Sendable {
  /// An application with its rules.
  struct App: Hashable, Sendable {
    var id: AppID
    var name: String
    var category: AppCategory?
    var isByDefault = false
    /// The rate in milli-points a minute; `nil` without a category.
    var rate: Int64?
    var isBlocked = false
    var isAlwaysAllowed = false
    var isEnabled = true
    /// The limit a day in words; `nil` for none.
    var limit: Phrase?
    /// The hours in which it may be used; `nil` for always.
    var hours: Phrase?
    /// The groups whose rules apply to it.
    var groups: [Group] = []
    /// The values of the child's own rules for it, by their keys.
    var own: [String: String] = [:]
    /// A hash of its rules, which changes if the rules change after a page was made.
    var version = App.version(of: [])
    /// The weekdays for which the child has its own limit of the application.
    var limitedDays: [Weekday] = []
    /// The use in milliseconds.
    var used: Int64 = 0
    /// The names of the machines on which it is installed.
    var places: [String] = []

    /// Returns the version of an application's rules.
    ///
    /// It is short, because a form may have 250 of them.
    static func version(of rules: [RuleListing]) -> String { String(ChildPlan.version(of: rules).prefix(8)) }
  }

  /// A group of applications, with its rules about the time of each.
  struct Group: Hashable, Sendable {
    var name: String
    /// The daily limit of all of them together, in words; `nil` for none.
    var limit: Phrase?
    /// The hours in which they may be used; `nil` for always.
    var hours: Phrase?
  }

  var child: String
  var name: String
  var zone: String
  /// Applications without a category come first, and then those that were used the most.
  var apps: [App]
  var refused: [RefusedListing] = []

  /// The number of refused programs that do not fit into the machines' lists.
  var moreRefused: Int { Dictionary(refused.map { ($0.deviceID, $0.more) }, uniquingKeysWith: max).values.reduce(0, +) }

  static func read(of child: String, at node: any NodeInterface) async throws -> KnownApplications {
    let day = try await node.ask(Endpoints.getToday, child)
    let ruled = try await node.ask(Endpoints.getApps, child).flatMap(\.apps)
    let installed = try await node.ask(Endpoints.getInstalled, (nil, nil))
    let refused = try await node.ask(Endpoints.getRefused, child)
    let today = FamilyDay(day.day) ?? .first
    let first = today.advanced(byDays: 1 - ApplicationsPage.days)
    let report = try await node.ask(Endpoints.getUseReport, (child, "month", first.description, today.description))
    return KnownApplications(day, ruled, installed.filter { $0.children.contains(day.childID) }, report, refused)
  }

  /// Creates the applications from a node's answers.
  ///
  /// `ruled` are the applications with rules or a default category. `machines` are the lists of
  /// applications that are installed on the child's machines.
  init(
    _ day: ChildToday, _ ruled: [AppListing], _ machines: [InstalledListing], _ report: UseReport,
    _ refused: [RefusedListing]
  ) {
    var apps: [AppID: App] = [:]
    for machine in machines {
      for app in machine.apps {
        apps[app.appID, default: App(id: app.appID, name: app.displayName)].places.append(machine.deviceName.text)
      }
    }
    for row in report.periods.flatMap(\.rows) where !row.appID.isOfMany {
      var app = apps[row.appID] ?? App(id: row.appID, name: row.displayName)
      let (sum, isTooMuch) = app.used.addingReportingOverflow(max(0, row.milliseconds))
      app.used = isTooMuch ? .max : sum
      apps[row.appID] = app
    }
    for listing in ruled where !listing.appID.isOfMany {
      var app = apps[listing.appID] ?? App(id: listing.appID, name: listing.displayName)
      app.name = listing.displayName
      (app.category, app.isByDefault, app.isEnabled) = (listing.category, listing.isByDefault, listing.isEnabled)
      (app.isBlocked, app.isAlwaysAllowed) = (listing.isBlocked, listing.isAlwaysAllowed)
      app.rate = listing.category == nil && listing.ownMilliPointsPerMinute == nil ? nil : listing.milliPointsPerMinute
      (app.limit, app.hours) = (listing.limit.map(Self.limit), listing.hours.map(Self.hours))
      app.groups = listing.groups.map { group in
        Group(name: group.name.text, limit: group.limit.map(Self.limit), hours: group.hours.map(Self.hours))
      }
      let own = listing.rules.filter { !$0.isFamilys }
      app.own = Dictionary(own.map { ($0.key.text, $0.value) }) { first, _ in first }
      app.version = App.version(of: listing.rules)
      app.limitedDays = own.compactMap { RuleKey($0.key)?.weekday }
      apps[listing.appID] = app
    }
    let sorted = apps.values.sorted { left, right in
      if (left.category == nil) != (right.category == nil) { return left.category == nil }
      if left.used != right.used { return left.used > right.used }
      return (left.name.lowercased(), left.id) < (right.name.lowercased(), right.id)
    }
    (child, name, zone, self.apps, self.refused) = (day.childID.description, day.name.text, day.zone, sorted, refused)
  }

  private static func limit(_ text: String) -> Phrase { (try? DayLimits(text))?.phrase ?? Phrase(verbatim: text) }

  private static func hours(_ text: String) -> Phrase {
    (try? WeekWindows(typed: text))?.phrase ?? Phrase(verbatim: text)
  }
}

/// The choice of the applications that a page shows.
struct ApplicationFilter: Hashable, Sendable {
  enum Kind: String, CaseIterable, Hashable, Sendable {
    case all, uncategorised, learning, reward, neutral, blocked, allowed, limited

    var label: Phrase {
      switch self {
      case .all: Phrase("All")
      case .uncategorised: Phrase("Without a category")
      case .learning: Phrase("Learning")
      case .reward: Phrase("Rewards")
      case .neutral: Phrase("Neutral")
      case .blocked: Phrase("Blocked")
      case .allowed: Phrase("Always allowed")
      case .limited: Phrase("With a limit")
      }
    }
  }

  var text = ""
  var kind = Kind.all

  /// Reads the query of a page, or the fields of its form.
  ///
  /// An unknown value counts as all.
  init(_ query: FormFields) {
    text = query["q"] ?? ""
    kind = query["show"].flatMap { Kind(rawValue: $0) } ?? .all
  }

  func fits(_ app: KnownApplications.App) -> Bool {
    let word = text.lowercased()
    guard word.isEmpty || app.name.lowercased().contains(word) || app.id.text.lowercased().contains(word) else {
      return false
    }
    return switch kind {
    case .all: true
    case .uncategorised: app.category == nil
    case .learning: app.category == .learning
    case .reward: app.category == .reward
    case .neutral: app.category == .neutral
    case .blocked: app.isBlocked
    case .allowed: app.isAlwaysAllowed
    case .limited: app.limit != nil || app.groups.contains { $0.limit != nil }
    }
  }
}

/// The choices in the form about applications, with their words.
enum ApplicationChoice {
  static let categories: [(word: String, label: Phrase)] =
    [("", Phrase("as it is"))] + AppCategory.allCases.map { ($0.rawValue, PageWords.title($0)) } + [
      ("none", Phrase("no category of its own"))
    ]

  static let uses: [(word: String, label: Phrase)] = [
    ("", Phrase("as it is")), ("block", Phrase("blocked")), ("unblock", Phrase("not blocked")),
    ("always", Phrase("always allowed")), ("sometimes", Phrase("not always allowed")),
  ]

  static func category(_ app: KnownApplications.App) -> Phrase {
    guard let category = app.category else { return Phrase("none yet") }
    return app.isByDefault
      ? Phrase("{category}, by default", ["category": .phrase(PageWords.title(category))]) : PageWords.title(category)
  }

  static func allowed(_ app: KnownApplications.App) -> Phrase {
    if !app.isEnabled { return Phrase("its rules are off") }
    if app.isBlocked { return Phrase("blocked") }
    if app.isAlwaysAllowed { return Phrase("always") }
    return whole(app.hours, app.groups.map { ($0.name, $0.hours) }) ?? Phrase("by the rules")
  }

  /// Returns the daily limits of an application and of its groups; `nil` if there are none.
  static func limit(_ app: KnownApplications.App) -> Phrase? {
    whole(app.limit, app.groups.map { ($0.name, $0.limit) })
  }

  static func groups(_ app: KnownApplications.App) -> Phrase? {
    app.groups.isEmpty ? nil : Phrase("in {groups}", ["groups": .list(app.groups.map { .text($0.name) })])
  }

  /// Returns the values of an application's own rule and of its groups' rules, such as "1 h and 2 h
  /// with Blocks"; `nil` if there are none.
  private static func whole(_ own: Phrase?, _ groups: [(name: String, words: Phrase?)]) -> Phrase? {
    let ofGroups = groups.compactMap { group in
      group.words.map { Phrase("{rule} with {group}", ["rule": .phrase($0), "group": .text(group.name)]) }
    }
    let all = [own].compactMap(\.self) + ofGroups
    return all.count > 1 ? Phrase("{rules}", ["rules": .list(all.map { .phrase($0) })]) : all.first
  }
}
