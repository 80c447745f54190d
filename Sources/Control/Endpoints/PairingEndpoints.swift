import LatchkeyModel

extension Path {
  fileprivate static let pairing = text("pairing", "The ID of a pairing.")
}

extension Query {
  fileprivate static let after = number("after", "The `change` that the caller has seen.", default: 0)
}

extension Endpoints {
  static let pairing: [Route] = [
    invite.route, join.route, getPairings.route, waitForInvitations.route, waitForPairing.route, answerPairing.route,
    cancelPairing.route,
  ]

  static let invite = Endpoint(
    .post, "/v1/pairing/invitations", Body.json(InviteRequest.self), created: true, errors: [.wrongRole, .limit],
    summary: "Opens a pairing code, on a parent. The answer alone has the code."
  ) { call, request in
    try await call.node.invite(request)
  }

  static let join = Endpoint(
    .post, "/v1/pairing/joins", Body.json(JoinRequest.self), created: true, errors: [.wrongRole, .typo, .limit],
    summary: "Joins with a pairing code, on a child."
  ) { call, request in
    try await call.node.join(request)
  }

  static let getPairings = Endpoint(.get, "/v1/pairing", summary: "The open pairings, without their codes.") { call in
    try await call.node.pairings()
  }

  static let waitForInvitations = Endpoint(
    .get, "/v1/pairing/nearby", Query.after, waits: true,
    summary: "The open codes that other machines announce, once their `change` is above `after`."
  ) { call, change in
    try await call.node.nearbyInvitations(after: change)
  }

  static let waitForPairing = Endpoint(
    .get, "/v1/pairing/{pairing}", Path.pairing, Query.after, waits: true, errors: [.unknownPairing],
    summary: "A pairing, once its `change` is above `after`."
  ) { call, id, change in
    try await call.node.pairing(id: id, after: change)
  }

  static let answerPairing = Endpoint(
    .post, "/v1/pairing/{pairing}/answer", Path.pairing, Body.json(PairingAnswer.self),
    errors: [.unknownPairing, .tooLate], summary: "The person's yes or no to the question of a pairing."
  ) { call, id, answer in
    try await call.node.answerPairing(id: id, answer)
  }

  static let cancelPairing = Endpoint(
    .delete, "/v1/pairing/{pairing}", Path.pairing, waits: true, errors: [.unknownPairing, .tooLate],
    summary: "Breaks a pairing off. The answer is held back while it is undone, at most 20 s."
  ) { call, id in
    try await call.node.cancelPairing(id: id)
  }
}

extension ControlClient: PairingAPI {
  /// Opens a pairing code.
  public func invite(_ request: InviteRequest) async throws(LocalAPIError) -> PairingProgress {
    try await ask(Endpoints.invite, request)
  }

  /// Joins with a code.
  public func join(_ request: JoinRequest) async throws(LocalAPIError) -> PairingProgress {
    try await ask(Endpoints.join, request)
  }

  /// Returns the open pairings, without their codes.
  public func pairings() async throws(LocalAPIError) -> [PairingProgress] { try await ask(Endpoints.getPairings) }

  /// Returns the open codes that other machines announce, after their next change since `change` or 25 s.
  public func nearbyInvitations(after change: Int) async throws(LocalAPIError) -> NearbyInvitations {
    try await ask(Endpoints.waitForInvitations, change)
  }

  /// Returns a pairing after its next change since `change` or 25 s.
  public func pairing(id: String, after change: Int) async throws(LocalAPIError) -> PairingProgress {
    try await ask(Endpoints.waitForPairing, (id, change))
  }

  /// Answers the question of a pairing.
  public func answerPairing(id: String, _ answer: PairingAnswer) async throws(LocalAPIError) -> PairingProgress {
    try await ask(Endpoints.answerPairing, (id, answer))
  }

  /// Cancels a pairing.
  public func cancelPairing(id: String) async throws(LocalAPIError) -> PairingProgress {
    try await ask(Endpoints.cancelPairing, id)
  }
}
