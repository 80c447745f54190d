import LatchkeyModel

extension Endpoints {
  static let devices: [Route] = [
    getDevices.route, getNearby.route, deleteDevice.route, forgetDevice.route, renameDevice.route,
    adoptRules.route, releaseDevice.route,
  ]

  static let getDevices = Endpoint(
    .get, "/v1/devices", summary: "The paired devices, and the removed ones that have not heard of their removal."
  ) { call in
    try await call.node.devices()
  }

  static let getNearby = Endpoint(
    .get, "/v1/nearby", summary: "What announces itself on the network now."
  ) { call in
    try await call.node.nearby()
  }

  static let deleteDevice = Endpoint(
    .delete, "/v1/devices/{device}", Path.device, errors: [.unknownDevice, .ambiguousDevice],
    summary: "Removes a device and lets it know."
  ) { call, device in
    try await call.node.unpair(device: device)
  }

  static let forgetDevice = Endpoint(
    .post, "/v1/devices/{device}/forget", Path.device, errors: [.unknownDevice, .ambiguousDevice],
    summary: "Removes a device in any state, without a word to it."
  ) { call, device in
    try await call.node.forget(device: device)
  }

  static let renameDevice = Endpoint(
    .post, "/v1/devices/{device}/rename", Path.device, Body.json(RenameRequest.self),
    errors: [.unknownDevice, .ambiguousDevice, .wrongRole],
    summary: "Gives a device another name, also the node's own, or says whose it is."
  ) { call, device, request in
    try await call.node.rename(device: device, request)
  }

  static let adoptRules = Endpoint(
    .post, "/v1/devices/{device}/adopt", Path.device, errors: [.unknownDevice, .ambiguousDevice, .wrongRole],
    summary:
      "Sets again what this parent had set and has lost, as a child's machine says that it holds it, and says what that was."
  ) { call, device in
    try await call.node.adopt(device: device)
  }

  static let releaseDevice = Endpoint(
    .post, "/v1/devices/{device}/release", Path.device, errors: [.unknownDevice, .ambiguousDevice, .tooLate],
    summary: "Ends the quarantine of a device."
  ) { call, device in
    try await call.node.release(device: device)
  }
}

extension ControlClient: DevicesAPI {
  /// Returns the paired devices, and the removed ones that have not heard of their removal.
  public func devices() async throws(LocalAPIError) -> [PeerStatus] { try await ask(Endpoints.getDevices) }

  /// Returns the machines that announce themselves on the network.
  public func nearby() async throws(LocalAPIError) -> NearbyMachines { try await ask(Endpoints.getNearby) }

  /// Removes a device and tells it.
  public func unpair(device: String) async throws(LocalAPIError) -> UnpairResult {
    try await ask(Endpoints.deleteDevice, device)
  }

  /// Removes a device in any state without telling it, and erases its keys.
  public func forget(device: String) async throws(LocalAPIError) -> UnpairResult {
    try await ask(Endpoints.forgetDevice, device)
  }

  /// Renames a device, or assigns it to a child.
  public func rename(device: String, _ request: RenameRequest) async throws(LocalAPIError) -> RenameResult {
    try await ask(Endpoints.renameDevice, (device, request))
  }

  /// Sets again what this machine had set, has lost since, and a child's machine says that it holds; returns it.
  public func adopt(device: String) async throws(LocalAPIError) -> [AdoptedSetting] {
    try await ask(Endpoints.adoptRules, device)
  }

  /// Ends the quarantine of a device.
  public func release(device: String) async throws(LocalAPIError) -> PeerStatus {
    try await ask(Endpoints.releaseDevice, device)
  }
}
