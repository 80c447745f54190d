import LatchkeyModel

extension Endpoints {
  static let requests: [Route] = [getRequests.route, ask.route, answerRequest.route]

  static let getRequests = Endpoint(
    .get, "/v1/requests", Query.text("child", "Only of this child."), whoMay: .operatorsAndChild,
    errors: [.unknownChild, .ambiguousChild],
    summary: "What children ask for: open requests first, then the others of today, and yesterday's without an answer."
  ) { call, child in
    try await call.node.requests(ofChild: try call.child(child))
  }

  static let ask = Endpoint(
    .post, "/v1/requests", Body.json(AskRequest.self), whoMay: .operatorsAndChild, created: true,
    errors: [.unknownChild, .ambiguousChild, .wrongRole, .limit],
    summary: "Asks the parents for time or for an application, on a child's machine."
  ) { call, request in
    var request = request
    request.child = try call.child(request.child)
    return try await call.node.ask(request)
  }

  static let answerRequest = Endpoint(
    .post, "/v1/requests/answer", Body.json(AnswerRequest.self), errors: [.unknownItem, .tooLate, .wrongRole],
    summary: "Answers a request, on a parent. The first answer holds."
  ) { call, answer in
    try await call.node.answerRequest(answer)
  }
}

extension ControlClient: RequestsAPI {
  /// Returns the requests.
  public func requests(ofChild child: String?) async throws(LocalAPIError) -> [RequestListing] {
    try await ask(Endpoints.getRequests, child)
  }

  /// Asks the parents for time or for an application.
  public func ask(_ request: AskRequest) async throws(LocalAPIError) -> RequestListing {
    try await ask(Endpoints.ask, request)
  }

  /// Answers a request.
  public func answerRequest(_ answer: AnswerRequest) async throws(LocalAPIError) -> RequestListing {
    try await ask(Endpoints.answerRequest, answer)
  }
}
