import LatchkeyModel

extension Endpoints {
  static let rules: [Route] = [getApps.route, getSettings.route]

  static let getApps = Endpoint(
    .get, "/v1/apps", Query.device, errors: [.unknownDevice, .ambiguousDevice], summary: "The applications with rules."
  ) { call, device in
    try await call.node.apps(device: device)
  }

  static let getSettings = Endpoint(.get, "/v1/settings", summary: "The rules of the family.") { call in
    try await call.node.settings()
  }
}

extension ControlClient: RulesAPI {
  /// Returns the applications that have rules.
  public func apps(device: String?) async throws(LocalAPIError) -> [AppListing] {
    try await ask(Endpoints.getApps, device)
  }

  /// Returns the rules of the family.
  public func settings() async throws(LocalAPIError) -> FamilySettings { try await ask(Endpoints.getSettings) }
}
