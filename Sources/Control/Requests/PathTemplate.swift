/// The path of an endpoint, such as `/v1/devices/{device}/forget`.
package struct PathTemplate: Hashable, Sendable {
  private enum Segment: Hashable, Sendable {
    case literal(String)
    case parameter(String)
  }

  /// The template as it is written, which is how the router and OpenAPI write it, too.
  package let text: String
  private let segments: [Segment]

  init(_ text: String) {
    self.text = text
    segments = text.split(separator: "/").map { part in
      part.hasPrefix("{") && part.hasSuffix("}")
        ? .parameter(String(part.dropFirst().dropLast())) : .literal(String(part))
    }
  }

  /// The words of the path; a parameter counts as its name.
  var names: [String] {
    segments.map { segment in
      switch segment {
      case .literal(let text), .parameter(let text): text
      }
    }
  }

  /// Returns the decoded parts of a path of this form.
  func segments(_ parameters: [String: String]) -> [String] {
    segments.map { segment in
      switch segment {
      case .literal(let text): text
      case .parameter(let name): parameters[name] ?? ""
      }
    }
  }

  /// Returns the texts that the parameters stand for in a path, or `nil` if the path is of another form.
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
