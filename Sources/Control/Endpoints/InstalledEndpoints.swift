import LatchkeyModel

extension Endpoints {
  static let installed: [Route] = [getInstalled.route]

  static let getInstalled = Endpoint(
    .get, "/v1/installed", Query.device,
    Query.number("number", "The number of a list, for which the answer waits up to 5 s."),
    whoMay: .operatorsAndChild, waits: true, errors: [.unknownDevice, .ambiguousDevice, .wrongRole],
    summary: "The applications that children's machines have found on themselves; on a child its own."
  ) { call, device, number in
    let listings = try await call.node.installedApps(device: device, number: number)
    guard let child = call.caller.child else { return listings }
    return listings.map { $0.shown(to: child) }
  }
}

extension ControlClient: ApplicationsAPI {
  /// Returns the applications of children's machines; on a child's node its own.
  public func installedApps(
    device: String?, number: UInt64?
  ) async throws(LocalAPIError) -> [InstalledListing] {
    try await ask(Endpoints.getInstalled, (device, number))
  }
}
