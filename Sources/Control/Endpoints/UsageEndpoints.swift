import LatchkeyModel

extension Endpoints {
  static let usage: [Route] = [getUsage.route, startUsage.route, endUsage.route]

  static let getUsage = Endpoint(
    .get, "/v1/usage", Query.device, Query.text("app", "Only of the application with this ID."),
    Query.number("from", "Unix milliseconds: the start of the range."),
    Query.number("to", "Unix milliseconds: the end of the range, exclusive."),
    Query.greatest("The most sessions of a page, 1 to 10,000.", default: 1_000),
    Query.text("cursor", "The `next` of the page before."), errors: [.unknownDevice, .ambiguousDevice],
    summary: "Sessions that overlap the range, clipped to it, the newest first."
  ) { call, device, app, from, to, limit, cursor in
    try await call.node.usage(
      UsageQuery(device: device, appID: app, from: from, to: to, limit: limit, cursor: cursor))
  }

  static let startUsage = Endpoint(
    .post, "/v1/usage/sessions", Body.json(UsageStartRequest.self), created: true, errors: [.wrongRole, .limit],
    summary: "Starts to record a program of the caller's, on a child. The session is durable when the answer comes."
  ) { call, request in
    var request = request
    request.caller = call.caller.userID
    return try await call.node.startUsage(request)
  }

  static let endUsage = Endpoint(
    .post, "/v1/usage/sessions/{session}/end", Path.text("session", "The record ID of a session."),
    errors: [.unknownSession, .stillRunning],
    summary: "Checks at once whether the programs of a session have ended, on a child."
  ) { call, id in
    try await call.node.endUsage(recordID: id)
  }
}

extension ControlClient: UsageAPI {
  /// Returns a page of sessions, newest first.
  public func usage(_ query: UsageQuery) async throws(LocalAPIError) -> UsagePage {
    try await ask(
      Endpoints.getUsage, (query.device, query.appID, query.from, query.to, query.limit, query.cursor))
  }

  /// Starts to record a program.
  public func startUsage(_ request: UsageStartRequest) async throws(LocalAPIError) -> UsageStarted {
    try await ask(Endpoints.startUsage, request)
  }

  /// Checks whether the programs of a session have ended, and returns the session's record if they have.
  public func endUsage(recordID: String) async throws(LocalAPIError) -> UsageRecord {
    try await ask(Endpoints.endUsage, recordID)
  }
}
