import LatchkeyModel

/// The table of the local API's endpoints: each feature has a file that defines its endpoints and lists them.
///
/// A new endpoint is a value in such a file, with what the node does for it. Spec: Protocol/07-local-api.md §3
package enum Endpoints {
  /// Every endpoint.
  package static let all: [Route] = status + queue + devices + pairing + commands + children + rules + usage

  /// Returns the routes of a path with the texts that its parameters stand for, as the server's router finds them.
  ///
  /// A path that is written out goes before one with parameters, so that `/v1/pairing/nearby` is no pairing.
  package static func matches(_ path: [String]) -> [(route: Route, parameters: [String: String])] {
    let found = all.compactMap { route in route.path.parameters(in: path).map { (route: route, parameters: $0) } }
    let fewest = found.map(\.parameters.count).min()
    return found.filter { $0.parameters.count == fewest }
  }
}
