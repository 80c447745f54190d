import LatchkeyModel

/// What parents are told once.
///
/// Spec: Protocol/07-local-api.md §4.
extension Endpoints {
  static let noticeRoutes: [any ServedEndpoint] = [getNotices, setPosition]

  package static let getNotices = Endpoint(
    .get, "/v1/notices",
    Query.text("receiver", "Who is told: a name such as desktop, which keeps its place; the last 100 if it is absent."),
    whoMay: .operatorsAndReceivers, on: .parentsNotices,
    summary: "What parents are told, on a parent: for a receiver what it has not been told and still matters."
  ) { call, receiver in
    if let receiver = receiver ?? call.caller.receiver?.name {
      try call.checkOwn(receiver)
      return try await call.notices(for: receiver)
    }
    return try await call.notices(for: nil)
  }

  package static let setPosition = Endpoint(
    .post, "/v1/receivers/{receiver}/position", Path.receiver, Body.json(ReceiverPosition.self),
    whoMay: .operatorsAndReceivers, on: .parentsNotices,
    summary: "Keeps up to where a receiver has told its person, on a parent."
  ) { call, receiver, place in
    try call.checkOwn(receiver)
    return try await call.setPosition(of: receiver, to: place)
  }
}

extension Route.Place {
  fileprivate static let parentsNotices = Route.Place.parent("Parents are told on a parent's machine: run this there.")
}
