import LatchkeyModel

extension Endpoints {
  static let conditions: [Route] = [getConditions.route]

  static let getConditions = Endpoint(
    .get, "/v1/conditions",
    summary:
      "What weakens the rules on children's machines, such as an account that may become root; on a child its own."
  ) { call in
    try await call.node.conditions()
  }
}

extension ControlClient: ConditionsAPI {
  /// Returns the conditions of children's machines; on a child's node its own.
  public func conditions() async throws(LocalAPIError) -> [ConditionListing] {
    try await ask(Endpoints.getConditions)
  }
}
