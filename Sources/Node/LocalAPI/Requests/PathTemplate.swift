/// The path of an endpoint, such as `/v1/devices/{device}/forget`.
package struct PathTemplate: Hashable, Sendable {
  private enum Segment: Hashable, Sendable {
    case literal(String)
    case parameter(String)
  }

  /// The template in the notation of the router and of OpenAPI.
  package let text: String
  private let segments: [Segment]

  init(_ text: String) {
    self.text = text
    segments = text.split(separator: "/").map { part in
      part.hasPrefix("{") && part.hasSuffix("}")
        ? .parameter(String(part.dropFirst().dropLast())) : .literal(String(part))
    }
  }

  /// The words of the path, in which a parameter is represented by its name.
  var names: [String] {
    segments.map { segment in
      switch segment {
      case .literal(let text), .parameter(let text): text
      }
    }
  }

  /// Returns the decoded segments of a path with values for its parameters.
  func segments(_ parameters: [String: String]) -> [String] {
    segments.map { segment in
      switch segment {
      case .literal(let text): text
      case .parameter(let name): parameters[name] ?? ""
      }
    }
  }

  /// Returns the values of the parameters in a path; `nil` if the path does not match.
  package func parameters(in path: [String]) -> [String: String]? {
    guard path.count == segments.count else { return nil }
    var parameters: [String: String] = [:]
    for (segment, part) in zip(segments, path) {
      switch segment {
      case .literal(let text): if text != part { return nil }
      case .parameter(let name): parameters[name] = part
      }
    }
    return parameters
  }
}
