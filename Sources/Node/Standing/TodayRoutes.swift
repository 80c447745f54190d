import LatchkeyModel

/// A child's day: what was used, what is left, and why.
///
/// Spec: Protocol/10-household.md §4, Protocol/11-rules.md §5.
extension Endpoints {
  static let todayRoutes: [any ServedEndpoint] = [getToday, getOwnToday, noticeEvents, getExplanation, getUseReport]

  private static let childsDay = Route.Place.child(
    "This is a parent's machine: run `latchkey today` here, or `latchkey me` on a child's.")

  public static let getToday = Endpoint(
    .get, "/v1/children/{child}/today", Path.child, whoMay: .operatorsChildAndReceivers, browsers: .look,
    errors: [.unknownChild, .ambiguousChild],
    summary: "A child's day so far: what was used, what runs, what is left, and why."
  ) { call, child in try await call.today(of: call.child(child)) }

  package static let getOwnToday = Endpoint(
    .get, "/v1/me", whoMay: .operatorsAndSharers, on: childsDay, errors: [.unknownChild],
    summary: "The day of the child whose account the caller uses, on a child."
  ) { call in try await call.ownToday() }

  package static let noticeEvents = Endpoint(
    events: "/v1/me/notices", Query.number("after", "The number of the last notice that is known.", default: 0),
    whoMay: .operatorsAndSharers, on: childsDay, errors: [.unknownChild],
    summary: "What the child whose account the caller uses is told, on a child: what is kept, then each new notice."
  ) { call, number in try await call.notices(after: number) }
}

extension Call {
  fileprivate func ownToday() async throws -> ChildToday {
    let child = try await callersChild()
    var today = try await today(of: child)
    // Unknown programs have no line of their own that would say so.
    let unknown = context.notices.notices(for: .child(child), after: 0).last {
      $0.kind == .closed && $0.key == ChildNotice.unknownKey
    }
    if let unknown, context.now() - unknown.at < Self.recentMilliseconds, try await closesUnknown(of: child) {
      today.notices.append(unknown.sentence)
    }
    return today
  }

  /// Returns whether an unknown program is still closed: a parent may have listed it since.
  private func closesUnknown(of child: ChildID) async throws -> Bool {
    let household = try await household()
    let standing = try await context.standing(of: child, household)
    guard !standing.verdict(of: .unknown).isAllowed else { return false }
    guard standing.rules.isClosedAsUnlisted(.unknownPrograms) else { return true }
    return try await store.refusedPrograms().contains { program in
      household.children(of: program.account, on: own).contains(child) && standing.rules.isUnlisted(program)
    }
  }

  /// Milliseconds for which a child is told again which unknown program was closed.
  private static let recentMilliseconds: Int64 = 3_600_000

  /// Returns what runs on all machines, as far as known here.
  func runningNow() async throws -> [RunningNow] {
    let sessions = try await context.running(at: context.now())
    if sessions.isEmpty { return [] }
    return try await shown(sessions, try await household())
  }

  func today(of child: ChildID) async throws -> ChildToday {
    let household = try await household()
    var standing = try await context.standing(of: child, household)
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
      for index in apps.indices { apps[index].note(MachineClosing(apps[index].appID, standing, on: machines)) }
    }
    let shownApps = Dictionary(apps.map { ($0.appID, $0) }) { first, _ in first }
    let (usesPoints, situation) = (standing.rules.mode == .points, standing.situation)
    let isRedeemed = usesPoints && standing.rules.points.use == .redeemFirst
    return ChildToday(
      childID: child, name: household.title(of: child), day: standing.situation.day.description,
      zone: standing.rules.zone, at: standing.situation.time, usedMilliseconds: today.screen,
      weekMilliseconds: standing.weekMilliseconds, limitMilliseconds: standing.limitMilliseconds,
      categories: CategoryToday.list(today.categories), apps: apps,
      running: try await shown(standing.running, household, standing), screen: screen,
      notices: try await standing.notices(shownApps).map(\.sentence) + sharedSentences(of: child, household),
      enforcement: context.enforcement, milliPoints: usesPoints ? situation.spendable : nil,
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

  /// Returns a stream of what the caller's child is told: what is kept, then each new notice.
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

  private func noticeReader() async throws -> NoticeBoard.Reader {
    if case .together = try await household().user(of: caller.userID, on: own) { return .account(caller.userID) }
    return .child(try await callersChild())
  }
}

/// A child's day so far, as the local API shows it.
public struct ChildToday: Hashable, Sendable, Codable {
  public var childID: ChildID
  public var name: DeviceName
  /// The family's day, such as `2026-11-21`.
  public var day: String
  /// The family's IANA zone.
  public var zone: String
  /// The moment that this is about, in Unix milliseconds.
  public var at: Int64
  /// Milliseconds in which anything was in use today, on all machines as far as known here.
  public var usedMilliseconds: Int64
  /// The same since Monday.
  public var weekMilliseconds: Int64
  /// Milliseconds of screen time of the day, with what was granted for it; `nil` without a limit.
  public var limitMilliseconds: Int64?
  /// The use of each category today; categories without use are left out.
  public var categories: [CategoryToday]
  /// The applications that were used today, run or have rules.
  public var apps: [AppToday]
  public var running: [RunningNow]
  public var screen: VerdictToday
  /// What a person should know now, one sentence each, such as that little time is left.
  public var notices: [Phrase]
  public var enforcement: Enforcement
  /// The milli-points that are left to spend; `nil` if the family uses no points.
  public var milliPoints: Int64?
  /// The milliseconds of redeemed time that are left; `nil` if rewards are not paid with it.
  public var redeemedMilliseconds: Int64?

  /// The day without what changes by the passing of time alone, rounded to minutes.
  package var withoutTime: ChildToday {
    var today = self
    today.at = 0
    today.usedMilliseconds /= 60_000
    today.weekMilliseconds /= 60_000
    for index in today.categories.indices { today.categories[index].usedMilliseconds /= 60_000 }
    for index in today.apps.indices {
      today.apps[index].usedMilliseconds /= 60_000
      today.apps[index].verdict.forgetTime()
    }
    today.screen.forgetTime()
    today.milliPoints = today.milliPoints.map { $0 / 1_000 }
    today.redeemedMilliseconds = today.redeemedMilliseconds.map { $0 / 60_000 }
    for index in today.running.indices { today.running[index].activeMilliseconds /= 60_000 }
    return today
  }
}

extension VerdictToday {
  fileprivate mutating func forgetTime() {
    until = nil
    leftMilliseconds = leftMilliseconds.map { $0 / 60_000 }
  }
}
