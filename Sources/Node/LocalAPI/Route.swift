import LatchkeyModel
import ServiceLifecycle

/// The description of an endpoint, without its types.
package struct Route: Sendable {
  package enum Method: String, Sendable, Hashable, CaseIterable {
    case get = "GET"
    case post = "POST"
    case delete = "DELETE"
  }

  /// The time and number of an endpoint's answers.
  package enum Kind: String, Sendable, Hashable {
    case once
    /// One answer, which may be held for up to 25 s until something changes.
    case longPoll = "long-poll"
    case events
    case text
  }

  /// The machines that answer, with the sentence for those that do not.
  package enum Place: Hashable, Sendable {
    case parent(String)
    case child(String)

    /// Refuses a request on a machine of the other role.
    func check(_ role: DeviceRole) throws(LocalAPIError) {
      switch (self, role) {
      case (.parent, .parent), (.child, .child): break
      case (.parent(let sentence), _), (.child(let sentence), _): throw LocalAPIError(.wrongRole, sentence)
      }
    }
  }

  package let method: Method
  package let path: PathTemplate
  package let parts: [PartDescription]
  package let kind: Kind
  package let status: Int
  /// The error codes in addition to those that every request can cause.
  package let errors: [LocalAPIError.Code]
  /// The callers that are accepted; all others receive 403.
  package let whoMay: Set<Principal>
  /// The machines that answer; `nil` for all.
  let place: Place?
  package let summary: String
  /// The type of the answer, or of one event of a stream.
  package let output: any (Decodable & Sendable).Type

  package var takesBody: Bool { parts.contains { $0.place == .body } }

  /// A unique name for programs, such as `get-devices-device`.
  package var operationID: String { ([method.rawValue.lowercased()] + path.names.dropFirst()).joined(separator: "-") }
}

package enum Reply: Sendable {
  case value([UInt8])
  case text(String)
  case events(EventSource)
}

/// The events of a stream, each as one line of JSON.
package struct EventSource: Sendable {
  /// Gives each event to a closure until the source ends, the node stops, or the task is cancelled.
  let send: @Sendable (_ give: ([UInt8]) async throws -> Void) async throws -> Void

  init<Event: Encodable & Sendable>(_ events: AsyncStream<Event>) {
    send = { give in
      for await event in events.cancelOnGracefulShutdown() { try await give(try LocalJSON.encode(event)) }
    }
  }
}

/// The path of an endpoint, such as `/v1/devices/{device}/forget`.
package struct PathTemplate: Hashable, Sendable {
  private struct Segment: Hashable, Sendable {
    var text: String
    var isParameter: Bool
  }

  /// The template in the notation of the router and of OpenAPI.
  package let text: String
  private let segments: [Segment]

  init(_ text: String) {
    self.text = text
    segments = text.split(separator: "/").map { part in
      let isParameter = part.hasPrefix("{") && part.hasSuffix("}")
      return Segment(text: String(isParameter ? part.dropFirst().dropLast() : part), isParameter: isParameter)
    }
  }

  /// The words of the path, in which a parameter is represented by its name.
  var names: [String] { segments.map(\.text) }

  /// Returns the decoded segments of a path with values for its parameters.
  func segments(_ parameters: [String: String]) -> [String] {
    segments.map { $0.isParameter ? parameters[$0.text] ?? "" : $0.text }
  }

  /// Returns the values of the parameters in a path; `nil` if the path does not match.
  package func parameters(in path: [String]) -> [String: String]? {
    guard path.count == segments.count else { return nil }
    var parameters: [String: String] = [:]
    for (segment, part) in zip(segments, path) {
      if segment.isParameter { parameters[segment.text] = part } else if segment.text != part { return nil }
    }
    return parameters
  }
}
