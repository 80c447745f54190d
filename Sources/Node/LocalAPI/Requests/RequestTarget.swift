import LatchkeyModel

/// The decoded path and query of a request.
package struct RequestTarget: Hashable, Sendable {
  /// The decoded segments between slashes.
  package var segments: [String]
  /// The decoded parameters; the last value of a repeated name wins.
  package var query: [String: String]

  init(segments: [String], query: [String: String] = [:]) {
    self.segments = segments
    self.query = query
  }

  /// Creates a target from text such as `/v1/usage?device=Emma`; `nil` if it is malformed.
  package init?(_ text: String) {
    guard text.hasPrefix("/") else { return nil }
    let halves = text.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
    segments = []
    for part in halves[0].dropFirst().split(separator: "/", omittingEmptySubsequences: false) {
      guard let segment = PercentCoding.decode(part), !segment.isEmpty else { return nil }
      segments.append(segment)
    }
    query = [:]
    guard halves.count == 2 else { return }
    for pair in halves[1].split(separator: "&") {
      let sides = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      guard let name = PercentCoding.decode(sides[0]),
        let value = PercentCoding.decode(sides.count == 2 ? sides[1] : "")
      else { return nil }
      query[name] = value
    }
  }

  /// Creates a target whose texts are safe to show; throws `ControlFailure`, the caller's fault, if
  /// it is malformed.
  package init(checking text: String) throws(ControlFailure) {
    guard let target = RequestTarget(text) else {
      throw ControlFailure(400, .invalid, "The request's path is malformed: use one that the local API lists.")
    }
    for part in target.segments + target.query.values {
      if let fault = TextRule.requestPart.fault(in: part) { throw ControlFailure(400, .invalid, fault) }
    }
    self = target
  }

  /// The target as text for a request line.
  package var text: String {
    let path = "/" + segments.map(PercentCoding.encode).joined(separator: "/")
    if query.isEmpty { return path }
    let pairs = query.sorted { $0.key < $1.key }
      .map { "\(PercentCoding.encode($0.key))=\(PercentCoding.encode($0.value))" }
    return path + "?" + pairs.joined(separator: "&")
  }
}
