import LatchkeyModel

extension Endpoints {
  static let points: [Route] = [
    getPoints.route, adjustPoints.route, reviewPoints.route, redeemPoints.route, refundPoints.route,
  ]

  static let getPoints = Endpoint(
    .get, "/v1/points", Query.text("child", "The child; may be absent if there is only one."),
    Query.greatest("The most changes to answer with, 1 to 10,000.", default: 10), whoMay: .operatorsAndChild,
    errors: [.unknownChild, .ambiguousChild], summary: "The points of a child."
  ) { call, child, limit in
    try await call.node.points(ofChild: try call.child(child), limit: limit)
  }

  static let adjustPoints = Endpoint(
    .post, "/v1/points/adjust", Body.json(PointsAdjustment.self),
    errors: [.unknownChild, .ambiguousChild, .wrongRole],
    summary: "Changes the points of a child, on a parent. What is not here is asked of the child's machines."
  ) { call, request in
    try await call.node.adjustPoints(request)
  }

  static let reviewPoints = Endpoint(
    .post, "/v1/points/review", Body.json(PointsReview.self), created: true, errors: [.unknownItem, .wrongRole],
    summary: "Decides about learning that looks wrong, on a parent."
  ) { call, request in
    try await call.node.reviewPoints(request)
  }

  static let redeemPoints = Endpoint(
    .post, "/v1/points/redeem", Body.json(PointsRedemption.self), whoMay: .operatorsAndChild,
    errors: [.unknownChild, .ambiguousChild, .wrongRole], summary: "Changes points into time, on a child's machine."
  ) { call, request in
    var request = request
    request.child = try call.child(request.child)
    return try await call.node.redeemPoints(request)
  }

  static let refundPoints = Endpoint(
    .post, "/v1/points/refund", Body.json(PointsRedemption.self), whoMay: .operatorsAndChild,
    errors: [.unknownChild, .ambiguousChild, .wrongRole],
    summary: "Changes unused redeemed time back into points, on a child's machine."
  ) { call, request in
    var request = request
    request.child = try call.child(request.child)
    return try await call.node.refundPoints(request)
  }
}

extension ControlClient: PointsAPI {
  /// Returns the points of a child.
  public func points(ofChild child: String?, limit: Int) async throws(LocalAPIError) -> PointsListing {
    try await ask(Endpoints.getPoints, (child, limit))
  }

  /// Changes the points of a child.
  public func adjustPoints(_ request: PointsAdjustment) async throws(LocalAPIError) -> PointsAdjusted {
    try await ask(Endpoints.adjustPoints, request)
  }

  /// Decides about learning that looks wrong.
  public func reviewPoints(_ request: PointsReview) async throws(LocalAPIError) -> ConfigurationCommand {
    try await ask(Endpoints.reviewPoints, request)
  }

  /// Changes points into time.
  public func redeemPoints(_ request: PointsRedemption) async throws(LocalAPIError) -> PointsRedeemed {
    try await ask(Endpoints.redeemPoints, request)
  }

  /// Changes unused redeemed time back into points.
  public func refundPoints(_ request: PointsRedemption) async throws(LocalAPIError) -> PointsRedeemed {
    try await ask(Endpoints.refundPoints, request)
  }
}
