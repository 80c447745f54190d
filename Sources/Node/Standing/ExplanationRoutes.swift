import LatchkeyModel
import LatchkeyRules

/// Why a child may use an application or may not.
///
/// Spec: Protocol/11-rules.md §5.
extension Endpoints {
  package static let getExplanation = Endpoint(
    .get, "/v1/children/{child}/explain", Path.child, Query.text("app", "The application, by its ID or name."),
    Query.number("at", "Unix milliseconds: the moment to explain; now if it is absent."),
    whoMay: .operatorsAndChild, browsers: .look, errors: [.unknownChild, .ambiguousChild, .unknownItem],
    summary: "Why an application may run or may not: every rule that is considered."
  ) { call, child, app, at in
    guard let app else {
      throw LocalAPIError(.invalid, phrase: "The application is missing: give its ID or name as `app`.")
    }
    return try await call.explain(app, to: call.child(child), at: at)
  }
}

extension Call {
  fileprivate func explain(_ app: String, to child: ChildID, at time: Int64?) async throws -> ChildExplanation {
    let household = try await household()
    if let time, !HybridTimestamp.walls.contains(time) {
      throw LocalAPIError(.invalid, phrase: "That time is in no calendar: give one such as 2026-11-21T18:30.")
    }
    var standing = try await context.standing(of: child, household, at: time)
    let installed = try await installedNames(of: child, household)
    standing.installed = installed
    if let group = Self.group(app, in: standing, of: household.title(of: child).text) { throw group }
    let found = try Self.app(app, in: standing, installed: installed)
    let unknown = found == nil ? try await unknownApp(app, to: child, standing) : []
    let id = found ?? .otherPrograms
    var shown = standing.shown(id)
    let today = context.time.moment(standing.rules.boundary).day
    let closing = MachineClosing(id, standing, on: try await toldMachines(of: child, household))
    shown.note(closing)
    return ChildExplanation(
      name: household.title(of: child), app: shown, at: standing.situation.time,
      zone: standing.rules.zone, rules: standing.explained(id),
      opening: standing.opening(of: id, household.rules(of: child), today: today, closing),
      enforcement: context.enforcement,
      leftOpen: unknown
        + Self.files(app, besides: id, in: standing, of: ShellWord.person(household.title(of: child).text))
        + closing.sentences,
      shared: try await sharedSentences(of: child, household, on: (id, shown.displayName), at: time).map { $0.worded() }
    )
  }

  /// Returns a sentence on files that a parent has allowed under the name of an application that
  /// nothing allows; none for any other application.
  private static func files(
    _ text: String, besides app: AppID, in standing: ChildStanding, of child: String
  ) -> [String] {
    let files = standing.rules.apps.keys.filter { $0 != app && $0.isOfRefused(text) }.sorted()
    guard let first = files.first, !app.isOfMany, standing.rules.apps[app] == nil else { return [] }
    return [
      "A file of that name was listed as \(first.text), which has rules of its own: `latchkey explain \(child) --app "
        + "\(first.text)` shows them."
    ]
  }

  /// Returns the error about a name of a group, whose applications are explained one by one; `nil`
  /// if the name is that of an application, or of no group.
  private static func group(_ text: String, in standing: ChildStanding, of child: String) -> LocalAPIError? {
    let isSame = { (name: String) in name.lowercased() == text.lowercased() }
    let names = standing.apps.flatMap { [$0.appID.text, $0.displayName] }
    guard let (name, group) = standing.rules.groups.first(where: { isSame($0.key.text) }),
      !names.contains(where: isSame), !standing.installed.contains(where: { isSame($0.key.text) || isSame($0.value) })
    else { return nil }
    let child = ShellWord.person(child)
    let commands = group.members.prefix(mostExplained).map {
      "`latchkey explain \(child) --app \(ShellWord.person($0.text))`"
    }
    let rules = Phrase.Argument.text("`latchkey rules \(child)`")
    guard !commands.isEmpty else {
      return LocalAPIError(
        .unknownItem,
        phrase: "“{group}” is a group without applications, so that its rules hold for nothing. {rules} shows them.",
        ["group": .text(name.text), "rules": rules])
    }
    return LocalAPIError(
      .unknownItem,
      phrase:
        "“{group}” is a group, and what holds for it is explained for each of its applications: {commands}. {rules} shows its rules.",
      ["group": .text(name.text), "commands": .either(commands), "rules": rules])
  }

  private static let mostExplained = 3

  /// Returns sentences about a name that no application is known by: what may have been meant, and
  /// whose rules are explained instead.
  ///
  /// It throws if the name looks like a misspelling, or can be no ID.
  private func unknownApp(_ text: String, to child: ChildID, _ standing: ChildStanding) async throws -> [String] {
    // A child cannot have its machine looked at, or allow a program.
    let isParent = Set.operators.contains(caller.principal)
    let used = standing.apps.map { AppSearch.Candidate(appID: $0.appID, name: $0.displayName) }
    let past = standing.situation.use.values.flatMap(\.apps.keys).map { AppSearch.Candidate(appID: $0, name: $0.text) }
    let (question, scans) = try await knownApps(of: child).hints(text, besides: used + past)
    let sentence =
      "No application “\(DeviceName(sanitising: text))” was used this week, has rules or was installed at the last look"
    let refused = isParent ? try await refusal(of: text, for: child) : nil
    let hints = [refused, question.isEmpty ? nil : question, isParent ? scans : nil].compactMap(\.self)
    guard question.isEmpty, AppID(text) != nil else {
      let rest = question.isEmpty && refused == nil ? ["`latchkey apps` lists those that have rules."] : []
      throw LocalAPIError(.unknownItem, "\(sentence). " + (rest + hints).joined(separator: " "))
    }
    return [
      "\(sentence): this is what holds for programs that no rule names. A program of the system without an entry in a menu "
        + "stays open outside of a terminal."
    ] + hints
  }

  /// Returns the application that a person named, if it was used, has rules, or is installed.
  private static func app(
    _ text: String, in standing: ChildStanding, installed: [AppID: String]
  ) throws(LocalAPIError) -> AppID? {
    let known =
      standing.apps.map { AppSearch.Candidate(appID: $0.appID, name: $0.displayName) }
      + installed.map { AppSearch.Candidate(appID: $0.key, name: $0.value, isInstalled: true) }
    // What was used on another day of the week may have no rules.
    let past = AppID(text).flatMap { id in standing.situation.use.values.contains { $0.apps[id] != nil } ? id : nil }
    // A file that was refused is listed under its name with a mark, and machines tell that ID as an
    // installed application's only after their next look.
    let files = standing.rules.apps.keys.filter { $0.isOfRefused(text) }
    do {
      if let app = try AppSearch.find(text, among: known, isWhole: past != nil) ?? past { return app }
      if let file = try AppSearch.find(text, among: files.map { AppSearch.Candidate(appID: $0, name: text) }) {
        return file
      }
    } catch { throw LocalAPIError(.invalid, error.description) }
    return nil
  }
}

extension ChildStanding {
  func explained(_ app: AppID) -> [ChildExplanation.Rule] {
    let name = name(of: app)
    return alwaysAllowed(app)
      + plan.explain(Subject(app), in: situation).considered.map { reason, standing in
        let words = self.words(reason, of: Subject(app), name: name)
        return switch standing {
        case .open(let left): ChildExplanation.Rule(reason.word, words, isOpen: true, left: left)
        case .closed(let left):
          ChildExplanation.Rule(
            reason.word, (reason == .points ? waitingPoints : nil) ?? words, isOpen: false, left: left)
        }
      }
  }

  /// Returns the rule that an application is always allowed; none if it is not, or is blocked.
  private func alwaysAllowed(_ app: AppID) -> [ChildExplanation.Rule] {
    let all = rules.app(app)
    guard all.isAlwaysAllowed, !all.isBlocked, !rules.isRemoved else { return [] }
    let groups = rules.apps[app]?.isAlwaysAllowed == true ? [] : rules.groups(of: app).map(\.name.text)
    let words =
      groups.isEmpty
      ? Phrase("always allowed")
      : Phrase(
        one: "always allowed by the group {groups}", other: "always allowed by the groups {groups}",
        count: groups.count, ["groups": .list(groups.map { .phrase(.quoted($0)) })])
    return [ChildExplanation.Rule("alwaysAllowed", words, isOpen: true, left: nil)]
  }
}

extension ChildExplanation.Rule {
  fileprivate init(_ rule: String, _ phrase: Phrase, isOpen: Bool, left: Int64?) {
    self.init(rule: rule, words: phrase.worded(), phrase: phrase, isOpen: isOpen, leftMilliseconds: left)
  }
}

/// Why an application may run or may not: every rule that was considered.
package struct ChildExplanation: Hashable, Sendable, Codable {
  package struct Rule: Hashable, Sendable, Codable {
    package var rule: String
    package var words: String
    package var phrase: Phrase?
    package var isOpen: Bool
    /// Milliseconds for which this holds; `nil` for longer than to the end of the next day.
    package var leftMilliseconds: Int64?

    package var said: Phrase { phrase ?? Phrase(verbatim: words) }
  }

  /// What decides which commands let the application run.
  package struct Opening: Hashable, Sendable, Codable {
    /// The family day of the moment, such as `2026-11-21`.
    package var day: String
    package var today: String
    package var dayStartHour: Int
    /// The fewest minutes of time for all that open the limits which close it; `nil` if none closes
    /// it, or no grant opens them.
    package var missingMinutes: Int?
    /// The category that it has once its rules count; `nil` if they count already.
    package var enabledCategory: AppCategory?
    package var hasOwnBreaks: Bool
    package var hasFamilysBreaks: Bool
    /// A Boolean value that indicates whether `latchkey apps allow` allows it.
    package var isRefused = false
    /// A Boolean value that indicates whether it is closed because nothing is recognized as it.
    package var isUnrecognized = false
    /// A Boolean value that indicates whether only a menu entry may tell what it is.
    package var mayBeOwn = false
  }

  package var name: DeviceName
  package var app: AppToday
  /// The moment that is explained, in Unix milliseconds.
  package var at: Int64
  /// The family's IANA zone.
  package var zone: String
  package var rules: [Rule]
  package var opening: Opening
  package var enforcement: Enforcement
  /// Why it runs on although the rules close it, one sentence for each machine on which it does.
  package var leftOpen: [String] = []
  /// Who is there in each shared account, and what holds there meanwhile, one sentence each.
  package var shared: [String] = []
}
