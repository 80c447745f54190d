import Glibc
import LatchkeyHousehold
import LatchkeyModel
import LatchkeyRules
import LatchkeyStore

extension Route.Place {
  fileprivate static let childsDay = Route.Place.child(
    "This is a parent's machine: run `latchkey today` here, or `latchkey me` on a child's.")
}

/// A child's day: what was used, what is left, and why.
///
/// Spec: Protocol/10-household.md §4, Protocol/11-rules.md §5.
extension Endpoints {
  static let todayRoutes: [any ServedEndpoint] = [
    getToday, getOwnToday, noticeEvents, getExplanation, getUseReport,
  ]

  public static let getToday = Endpoint(
    .get, "/v1/children/{child}/today", Path.child, whoMay: .operatorsChildAndReceivers, browsers: .look,
    errors: [.unknownChild, .ambiguousChild],
    summary: "A child's day so far: what was used, what runs, what is left, and why."
  ) { call, child in
    try await call.today(of: call.child(child))
  }

  package static let getOwnToday = Endpoint(
    .get, "/v1/me", whoMay: .operatorsAndSharers,
    on: .childsDay, errors: [.unknownChild],
    summary: "The day of the child whose account the caller uses, on a child."
  ) { call in
    try await call.ownToday()
  }

  package static let noticeEvents = Endpoint(
    events: "/v1/me/notices", Query.number("after", "The number of the last notice that is known.", default: 0),
    whoMay: .operatorsAndSharers, on: .childsDay, errors: [.unknownChild],
    summary: "What the child whose account the caller uses is told, on a child: what is kept, then each new notice."
  ) { call, number in
    try await call.notices(after: number)
  }

  package static let getExplanation = Endpoint(
    .get, "/v1/children/{child}/explain", Path.child,
    Query.text("app", "The application, by its ID or name."),
    Query.number("at", "Unix milliseconds: the moment to explain; now if it is absent."),
    whoMay: .operatorsAndChild, browsers: .look, errors: [.unknownChild, .ambiguousChild, .unknownItem],
    summary: "Why an application may run or may not: every rule that is considered."
  ) { call, child, app, at in
    guard let app else {
      throw LocalAPIError(.invalid, phrase: "The application is missing: give its ID or name as `app`.")
    }
    return try await call.explain(app, to: call.child(child), at: at)
  }

  package static let getUseReport = Endpoint(
    .get, "/v1/children/{child}/report", Path.child,
    Query.text("period", "The length of a period: day, week or month; day if it is absent."),
    Query.text("from", "The first day, such as 2026-11-01."), Query.text("to", "The last day; today if it is absent."),
    browsers: .look, errors: [.unknownChild, .ambiguousChild],
    summary: "A child's use by day, week or month, the newest first."
  ) { call, child, period, from, to in
    try await call.useReport(of: call.child(child), by: period ?? "day", from: from, to: to)
  }
}

extension Call {
  /// Returns the day of the child whose account the caller uses.
  fileprivate func ownToday() async throws -> ChildToday {
    let child = try await callersChild()
    var today = try await today(of: child)
    // Unknown programs have no line of their own that would say so.
    let unknown = context.notices.notices(for: child, after: 0).last {
      $0.kind == .closed && $0.key == ChildNotice.unknownKey
    }
    if let unknown, context.now() - unknown.at < Self.recentMilliseconds, try await closesUnknown(of: child) {
      today.notices.append(unknown.sentence)
    }
    return today
  }

  /// Returns whether an unknown program that was closed for a child is still closed when it is
  /// started again: a parent may have listed it since.
  private func closesUnknown(of child: ChildID) async throws -> Bool {
    let household = try await household()
    let standing = try await StandingReader(context: context).read(child, household)
    guard !standing.verdict(of: .unknown).isAllowed else { return false }
    guard standing.rules.isClosedAsUnlisted(.unknownPrograms) else { return true }
    return try await store.refusedPrograms().contains { program in
      household.children(of: program.account, on: own).contains(child) && standing.rules.isUnlisted(program)
    }
  }

  /// The time for which a child is told again which unknown program was closed, in milliseconds.
  private static let recentMilliseconds: Int64 = 3_600_000

  /// Returns why an application may run or may not.
  fileprivate func explain(_ app: String, to child: ChildID, at time: Int64?) async throws -> ChildExplanation {
    let household = try await household()
    if let time, !HybridTimestamp.walls.contains(time) {
      throw LocalAPIError(.invalid, phrase: "That time is in no calendar: give one such as 2026-11-21T18:30.")
    }
    var standing = try await StandingReader(context: context).read(child, household, at: time)
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
      name: Self.name(of: child, in: household), app: shown, at: standing.situation.time,
      zone: standing.rules.zone, rules: standing.explained(id),
      opening: standing.opening(of: id, household.rules(of: child), today: today, closing),
      enforcement: context.enforcement,
      leftOpen: unknown
        + Self.files(
          app, besides: id, in: standing, of: ShellWord.person(household.title(of: child).text))
        + closing.sentences,
      shared: try await sharedSentences(of: child, household, on: (id, shown.displayName), at: time).map { $0.worded() }
    )
  }

  /// Returns a sentence on files that a parent has allowed under the name of another application
  /// that nothing allows; none for any other application.
  private static func files(_ text: String, besides app: AppID, in standing: ChildStanding, of child: String)
    -> [String]
  {
    let files = standing.rules.apps.keys.filter { $0 != app && $0.isOfRefused(text) }.sorted()
    guard let first = files.first, !app.isOfMany, standing.rules.apps[app] == nil else { return [] }
    return [
      "A file of that name was listed as \(first.text), which has rules of its own: `latchkey explain \(child) --app "
        + "\(first.text)` shows them."
    ]
  }

  /// Returns the error about a name of a group, whose applications are explained one by one; `nil`
  /// if it is none, or if an application has that whole name or ID.
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
        phrase: Phrase(
          "“{group}” is a group without applications, so that its rules hold for nothing. {rules} shows them.",
          ["group": .text(name.text), "rules": rules]))
    }
    return LocalAPIError(
      .unknownItem,
      phrase: Phrase(
        "“{group}” is a group, and what holds for it is explained for each of its applications: {commands}. {rules} shows its rules.",
        ["group": .text(name.text), "commands": .either(commands), "rules": rules]))
  }

  /// The most applications of a group for which a command is named.
  private static let mostExplained = 3

  /// Returns sentences about a name that no application is known by: what may have been meant, and
  /// whose rules are explained instead.
  ///
  /// - Parameters:
  ///   - text: The name.
  ///   - child: The child whose applications were searched.
  ///   - standing: What holds for the child.
  /// - Returns: The sentences.
  /// - Throws: `LocalAPIError` if the name looks like a misspelling, or if it can be no ID.
  private func unknownApp(
    _ text: String, to child: ChildID, _ standing: ChildStanding
  ) async throws -> [String] {
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

  /// Returns a child's use by day, week or month.
  fileprivate func useReport(
    of child: ChildID, by word: String, from: String?, to: String?
  ) async throws -> UseReport {
    guard let period = ReportPeriod(rawValue: word) else {
      throw LocalAPIError(.invalid, phrase: "A report is by day, week or month: give one of them.")
    }
    let household = try await household()
    let rules = household.rules(for: child)
    let boundary = rules.boundary
    let last = try to.map(Self.reportDay) ?? context.time.moment(boundary).day
    let first = try from.map(Self.reportDay) ?? period.usualStart(before: last)
    guard first <= last else {
      throw LocalAPIError(
        .invalid, phrase: "The range ends before it begins: give --from a day that is not after --to.")
    }
    guard last.days(since: first) < UsageReport.mostDays else {
      throw LocalAPIError(
        .invalid,
        phrase: Phrase(
          "A report has at most {days} days: give a later --from.", ["days": .number(UsageReport.mostDays)]))
    }
    let empty = UsageReport(
      boundary, period, from: first, through: last, isLearningFree: rules.screenTime.learning == .free)
    // What runs is read first, so that a session that ends meanwhile is in at least one of both.
    let now = context.now()
    let running = try await StandingReader(context: context).running(at: now).map(\.use).filter { $0.child == child }
    var (report, names) = try await store.sessions(
      of: child, from: boundary.start(of: first), to: boundary.end(of: last), into: empty
    ) { $0.add($1) }
    for use in running {
      report.add(UsageSlice(use))
      if names[use.appID] == nil { names[use.appID] = use.displayName }
    }
    let periods = report.periods.map { period in
      let rows = period.rows.map { row in
        UseReport.Row(
          appID: row.app, displayName: rules.app(row.app).name ?? names[row.app] ?? row.app.text,
          category: row.category, milliseconds: row.milliseconds, earnedMilliPoints: row.earnedMilliPoints,
          sessions: row.sessions)
      }
      return UseReport.Period(
        start: period.start.description, milliseconds: period.milliseconds,
        categories: CategoryToday.list(period.categories), rows: rows)
    }
    return UseReport(
      childID: child, name: Self.name(of: child, in: household), period: period.rawValue, from: first.description,
      to: last.description, periods: periods)
  }

  /// Returns what runs on all machines, as far as known here.
  func runningNow() async throws -> [RunningNow] {
    let sessions = try await StandingReader(context: context).running(at: context.now())
    if sessions.isEmpty { return [] }
    return try await shown(sessions, try await household())
  }

  /// Returns a child's day so far.
  func today(of child: ChildID) async throws -> ChildToday {
    let household = try await household()
    var standing = try await StandingReader(context: context).read(child, household)
    if standing.appIDs.contains(where: { standing.name(of: $0) == $0.text }) {
      standing.installed = try await installedNames(of: child, household)
    }
    let today = standing.today
    var apps = standing.apps
    var screen = standing.screen
    if !screen.isAllowed || standing.rules.programs == .listed || apps.contains(where: { !$0.verdict.isAllowed }) {
      let machines = try await toldMachines(of: child, household)
      if !screen.isAllowed {
        screen.reason = screen.reason.map { MachineClosing.besides($0, [standing], on: machines) }
      }
      for index in apps.indices {
        apps[index].note(MachineClosing(apps[index].appID, standing, on: machines))
      }
    }
    let shownApps = Dictionary(apps.map { ($0.appID, $0) }) { first, _ in first }
    let (usesPoints, situation) = (standing.rules.mode == .points, standing.situation)
    let isRedeemed = usesPoints && standing.rules.points.use == .redeemFirst
    return ChildToday(
      childID: child, name: Self.name(of: child, in: household), day: standing.situation.day.description,
      zone: standing.rules.zone, at: standing.situation.time, usedMilliseconds: today.screen,
      weekMilliseconds: standing.weekMilliseconds, limitMilliseconds: standing.limitMilliseconds,
      categories: CategoryToday.list(today.categories), apps: apps,
      running: try await shown(standing.running, household, standing),
      screen: screen,
      notices: try await standing.notices(shownApps).map(\.sentence) + sharedSentences(of: child, household),
      enforcement: context.enforcement,
      milliPoints: usesPoints ? situation.spendable : nil,
      redeemedMilliseconds: isRedeemed ? situation.redeemed.map(\.milliseconds).limitedSum : nil)
  }

  private func shown(
    _ sessions: [ChildStanding.Session], _ household: Household, _ standing: ChildStanding? = nil
  ) async throws -> [RunningNow] {
    let peers = try await peers()
    return sessions.filter { $0.use.appID != .screenTime && !$0.use.isPaused }.map { session in
      let use = session.use
      return RunningNow(
        recordID: use.recordID,
        childName: use.child.flatMap { household.name(of: $0) }.map { DeviceName(sanitising: $0) },
        deviceID: session.device, deviceName: name(session.device, peers), appID: use.appID,
        displayName: standing?.name(of: use.appID) ?? use.displayName, category: use.category, since: use.since,
        activeMilliseconds: use.activeMilliseconds, isStale: session.isStale)
    }
  }

  private static func name(of child: ChildID, in household: Household) -> DeviceName {
    DeviceName(sanitising: household.name(of: child) ?? "child")
  }

  /// Returns the application that a person named: one that was used, has rules, or is installed;
  /// `nil` if none is known by that name.
  private static func app(
    _ text: String, in standing: ChildStanding, installed: [AppID: String]
  ) throws(LocalAPIError) -> AppID? {
    let known =
      standing.apps.map { AppSearch.Candidate(appID: $0.appID, name: $0.displayName) }
      + installed.map { AppSearch.Candidate(appID: $0.key, name: $0.value, isInstalled: true) }
    // What was used on another day of the week may have no rules.
    let past = AppID(text).flatMap { id in
      standing.situation.use.values.contains { $0.apps[id] != nil } ? id : nil
    }
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

  private static func reportDay(_ text: String) throws(LocalAPIError) -> FamilyDay {
    guard let day = FamilyDay(text) else {
      throw LocalAPIError(
        .invalid,
        phrase: Phrase(
          "“{text}” is no day: write it as 2026-11-21.", ["text": .text(DeviceName(sanitising: text).text)]))
    }
    return day
  }
}

extension ReportPeriod {
  /// Returns the first day of a report for which nobody named one: a week of days, five weeks, or a
  /// year of months.
  fileprivate func usualStart(before last: FamilyDay) -> FamilyDay {
    switch self {
    case .day: last.advanced(byDays: -6)
    case .week: last.startOfWeek.advanced(byDays: -28)
    case .month: start(of: last.advanced(byDays: -330))
    }
  }
}

extension Caller {
  /// Returns whether what the caller asked for before is still the caller's to read: in an account
  /// that children share, another one may be there since.
  func mayStillRead(_ child: ChildID, _ household: Household, on device: DeviceID) -> Bool {
    Set.operators.contains(principal) || household.sharers(of: userID, on: device).isEmpty
      || household.user(of: userID, on: device) == .child(child)
  }
}

extension CategoryToday {
  fileprivate static func list(_ categories: [AppCategory: Int64]) -> [CategoryToday] {
    AppCategory.allCases.compactMap { category in
      categories[category].map { CategoryToday(category: category, usedMilliseconds: $0) }
    }
  }
}

extension Call {
  /// Returns a stream of what the child whose account the caller uses is told: what is kept, then
  /// each new notice.
  fileprivate func notices(after number: Int) async throws -> AsyncStream<ChildNotice> {
    _ = try await noticeReader()
    let board = context.notices
    return board.changes.events(keepingNewest: NoticeBoard.capacity, since: number) { last in
      // Somebody else may be there than before.
      guard let reader = try? await again.noticeReader() else { return [] }
      let notices = board.notices(for: reader, after: last)
      last = notices.last?.number ?? last
      return notices
    }
  }

  /// Returns who reads notices in the account that the caller uses.
  private func noticeReader() async throws -> NoticeBoard.Reader {
    if case .together = try await household().user(of: caller.userID, on: own) { return .account(caller.userID) }
    return .child(try await callersChild())
  }
}
