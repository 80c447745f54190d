import LatchkeyModel

/// What carries notices elsewhere, and what a parent allows it.
///
/// Spec: Protocol/14-bridge.md §1.
extension Endpoints {
  static let receiverRoutes: [any ServedEndpoint] = [getReceivers, addReceiver, deleteReceiver, reportReceiver]

  package static let getReceivers = Endpoint(
    .get, "/v1/receivers", on: .receivers,
    summary: "The receivers that are set up, on a parent: what each may do, has given today, and what is wrong."
  ) { call in
    try await call.receivers()
  }

  package static let addReceiver = Endpoint(
    .post, "/v1/receivers", Body.json(NewReceiver.self), on: .receivers, created: true, errors: [.limit],
    summary: "Sets up a receiver, on a parent, with a new token; one of the same name is replaced."
  ) { call, receiver in
    try await call.add(receiver)
  }

  package static let deleteReceiver = Endpoint(
    .delete, "/v1/receivers/{receiver}", Path.receiver, on: .receivers, errors: [.unknownItem],
    summary: "Removes a receiver, on a parent. Its token is worth nothing at once."
  ) { call, receiver in
    try await call.removeReceiver(receiver)
  }

  package static let reportReceiver = Endpoint(
    .post, "/v1/receivers/{receiver}/state", Path.receiver, Body.json(ReceiverState.self),
    whoMay: .operatorsAndReceivers, on: .receivers, errors: [.unknownItem],
    summary: "Says what is wrong with the server behind a receiver, on a parent."
  ) { call, receiver, state in
    try await call.report(state, of: receiver)
  }
}

extension Route.Place {
  fileprivate static let receivers = Route.Place.parent(
    "Receivers are set up on a parent's machine: run this there.")
}
