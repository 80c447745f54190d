import LatchkeyModel

extension Endpoints {
  static let status: [Route] = [getStatus.route, syncStates.route, syncNow.route]

  static let getStatus = Endpoint(
    .get, "/v1/status", whoMay: .operatorsAndChild, summary: "The state of the node; for a child, what concerns it."
  ) { call in
    let status = try await call.node.status()
    guard let child = call.caller.child else { return status }
    return status.shown(running: try await call.node.today(ofChild: child.id.description).running)
  }

  static let syncStates = Endpoint(
    events: "/v1/sync", summary: "The node's sync state: the present one at once, then each change."
  ) { call in
    await call.node.syncStates()
  }

  static let syncNow = Endpoint(
    .post, "/v1/sync", Query.device, errors: [.unknownDevice, .ambiguousDevice],
    summary: "Tries at once to reach a device, or all, and repeats what is held. Does not wait."
  ) { call, device in
    try await call.node.syncNow(device: device)
  }
}

extension ControlClient: StatusAPI {
  /// Returns the state of the node.
  public func status() async throws(LocalAPIError) -> NodeStatus { try await ask(Endpoints.getStatus) }

  /// Returns the node's sync states: the present one immediately, then each change, of which a slow reader gets the
  /// newest.
  public func syncStates() async -> AsyncStream<SyncState> {
    (try? await events(of: Endpoints.syncStates, ())) ?? AsyncStream { $0.finish() }
  }

  /// Dials the devices without a session immediately, and repeats the stored positions to those with one.
  public func syncNow(device: String?) async throws(LocalAPIError) -> [PeerStatus] {
    try await ask(Endpoints.syncNow, device)
  }
}
