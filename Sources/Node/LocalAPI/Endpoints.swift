import LatchkeyModel

/// The table of the local API's endpoints.
///
/// Each feature has a file that defines and lists its endpoints. A new endpoint is a value in such
/// a file, with its handler.
///
/// Spec: Protocol/07-local-api.md §3.
public enum Endpoints {
  package static let all: [any ServedEndpoint] =
    statusRoutes + queueRoutes + deviceRoutes + pairingRoutes + commandRoutes + childRoutes + ruleRoutes + usageRoutes
    + todayRoutes + changeRoutes + noticeRoutes + receiverRoutes + presenceRoutes + requestRoutes + pointsRoutes
    + applicationRoutes + refusedRoutes + auditRoutes + metricsRoutes + browserRoutes

  /// Returns the endpoints that match a path, with the values of their parameters, in the order of
  /// the server's router.
  ///
  /// A literal path precedes one with parameters, so that `/v1/pairing/nearby` is not taken for a
  /// pairing's ID.
  ///
  /// - Parameter path: The decoded segments of the path.
  /// - Returns: The matching endpoints.
  package static func matches(_ path: [String]) -> [(endpoint: any ServedEndpoint, parameters: [String: String])] {
    let found = all.compactMap { one in one.route.path.parameters(in: path).map { (endpoint: one, parameters: $0) } }
    let fewest = found.map(\.parameters.count).min()
    return found.filter { $0.parameters.count == fewest }
  }
}
