import LatchkeyModel

extension Endpoints {
  static let rules: [Route] = [getApps.route, getSettings.route, setSettings.route]

  static let getApps = Endpoint(
    .get, "/v1/apps", Query.text("child", "The child; all children if it is absent."),
    whoMay: .operatorsAndChild, errors: [.unknownChild, .ambiguousChild],
    summary: "The applications with rules: what is in force for each child, the child's rules over the family's."
  ) { call, child in
    let apps = try await call.node.apps(ofChild: try call.child(child))
    return call.caller.child == nil ? apps : apps.map(\.shownToChild)
  }

  static let getSettings = Endpoint(
    .get, "/v1/settings", whoMay: .operatorsAndChild, summary: "The rules of the whole family."
  ) { call in
    let settings = try await call.node.settings()
    return call.caller.child == nil ? settings : settings.shownToChild
  }

  static let setSettings = Endpoint(
    .post, "/v1/settings", Body.json(RuleRequest.self), errors: [.wrongRole],
    summary: "Sets rules of the whole family, on a parent. They are durable when the answer comes."
  ) { call, request in
    try await call.node.setSettings(request)
  }
}

extension ControlClient: RulesAPI {
  /// Returns the applications that have rules, for each child.
  public func apps(ofChild child: String?) async throws(LocalAPIError) -> [ChildApps] {
    try await ask(Endpoints.getApps, child)
  }

  /// Returns the rules of the family.
  public func settings() async throws(LocalAPIError) -> FamilyRules { try await ask(Endpoints.getSettings) }

  /// Sets rules of the whole family.
  public func setSettings(_ request: RuleRequest) async throws(LocalAPIError) -> FamilyEdit {
    try await ask(Endpoints.setSettings, request)
  }
}
