import LatchkeyModel

extension Endpoints {
  static let today: [Route] = [
    getToday.route, todayEvents.route, getOwnToday.route, noticeEvents.route, getExplanation.route, getUseReport.route,
  ]

  static let getToday = Endpoint(
    .get, "/v1/children/{child}/today", Path.child, whoMay: .operatorsAndChild,
    errors: [.unknownChild, .ambiguousChild],
    summary: "A child's day so far: what was used, what runs, what is left, and why."
  ) { call, child in
    try await call.node.today(ofChild: try call.child(named: child))
  }

  static let todayEvents = Endpoint(
    events: "/v1/children/{child}/today/events", Path.child, whoMay: .operatorsAndChild,
    errors: [.unknownChild, .ambiguousChild],
    summary: "A child's day: the present one at once, then each change."
  ) { call, child in
    try await call.node.todayEvents(ofChild: try call.child(named: child))
  }

  static let getOwnToday = Endpoint(
    .get, "/v1/me", whoMay: .operatorsAndChild, errors: [.unknownChild, .wrongRole],
    summary: "The day of the child whose account the caller uses, on a child."
  ) { call in
    try await call.node.ownToday(caller: call.caller.userID)
  }

  static let noticeEvents = Endpoint(
    events: "/v1/me/notices", Query.number("after", "The number of the last notice that is known.", default: 0),
    whoMay: .operatorsAndChild, errors: [.unknownChild, .wrongRole],
    summary: "What the child whose account the caller uses is told, on a child: what is kept, then each new notice."
  ) { call, number in
    try await call.node.notices(caller: call.caller.userID, after: number)
  }

  static let getExplanation = Endpoint(
    .get, "/v1/children/{child}/explain", Path.child,
    Query.text("app", "The application, by its ID or name."),
    Query.number("at", "Unix milliseconds: the moment to explain; now if it is absent."),
    whoMay: .operatorsAndChild, errors: [.unknownChild, .ambiguousChild, .unknownItem],
    summary: "Why an application may run or may not: every rule that is considered."
  ) { call, child, app, at in
    guard let app else {
      throw ControlFailure(400, .invalid, "The application is missing: give its ID or name as `app`.")
    }
    return try await call.node.explain(child: try call.child(named: child), app: app, at: at)
  }

  static let getUseReport = Endpoint(
    .get, "/v1/children/{child}/report", Path.child,
    Query.text("period", "The length of a period: day, week or month; day if it is absent."),
    Query.text("from", "The first day, such as 2026-11-01."), Query.text("to", "The last day; today if it is absent."),
    errors: [.unknownChild, .ambiguousChild], summary: "A child's use by day, week or month, the newest first."
  ) { call, child, period, from, to in
    try await call.node.useReport(UseReportQuery(child: child, period: period ?? "day", from: from, to: to))
  }
}

extension ControlClient: TodayAPI {
  /// Returns a child's day so far.
  public func today(ofChild child: String) async throws(LocalAPIError) -> ChildToday {
    try await ask(Endpoints.getToday, child)
  }

  /// Returns a stream of a child's day: the present one immediately, then each change.
  public func todayEvents(ofChild child: String) async throws(LocalAPIError) -> AsyncStream<ChildToday> {
    try await events(of: Endpoints.todayEvents, child)
  }

  /// Returns the day of the child whose account this process uses; `caller` is the kernel's to say.
  public func ownToday(caller: UInt32?) async throws(LocalAPIError) -> ChildToday {
    try await ask(Endpoints.getOwnToday)
  }

  /// Returns a stream of what the child whose account this process uses is told; `caller` is the kernel's to say.
  public func notices(caller: UInt32?, after: Int) async throws(LocalAPIError) -> AsyncStream<ChildNotice> {
    try await events(of: Endpoints.noticeEvents, after)
  }

  /// Returns why an application may run or may not.
  public func explain(child: String, app: String, at: Int64?) async throws(LocalAPIError) -> ChildExplanation {
    try await ask(Endpoints.getExplanation, (child, app, at))
  }

  /// Returns a child's use by day, week or month.
  public func useReport(_ query: UseReportQuery) async throws(LocalAPIError) -> UseReport {
    try await ask(Endpoints.getUseReport, (query.child, query.period, query.from, query.to))
  }
}
