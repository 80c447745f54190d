import LatchkeyModel
import ServiceLifecycle

/// An endpoint without its types: what the server and the OpenAPI document have to know of it.
package struct Route: Sendable {
  /// The methods in use.
  package enum Method: String, Sendable, Hashable, CaseIterable {
    case get = "GET"
    case post = "POST"
    case delete = "DELETE"
  }

  /// When and how often an endpoint answers.
  package enum Kind: String, Sendable, Hashable {
    case once
    /// The answer may be held back for up to 25 s, until something changes.
    case longPoll = "long-poll"
    /// A stream of events without an end.
    case events
  }

  package let method: Method
  package let path: PathTemplate
  let parts: [PartDescription]
  package let kind: Kind
  /// HTTP's number for a success.
  let status: Int
  /// The codes of errors beside those that every request can meet.
  let errors: [LocalAPIError.Code]
  /// The callers that are answered; all others get 403.
  package let whoMay: Set<Principal>
  /// One sentence of documentation.
  let summary: String
  /// Describes the answer, or one event of a stream.
  let schema: @Sendable (SchemaBook) throws -> JSONValue
  /// Reads a request and writes it anew, as the client would.
  package let rewrite: @Sendable (IncomingRequest) throws -> OutgoingRequest
  /// Answers a request.
  ///
  /// The caller has been checked.
  let respond: @Sendable (Call, IncomingRequest) async throws -> Reply

  /// A Boolean value that indicates whether the endpoint reads a body.
  var takesBody: Bool { parts.contains { $0.place == .body } }

  /// A name for programs, such as `get-devices-device`.
  package var operationID: String {
    ([method.rawValue.lowercased()] + path.names.dropFirst()).joined(separator: "-")
  }
}

/// An answer of an endpoint.
enum Reply: Sendable {
  /// One JSON value.
  case value([UInt8])
  case events(EventSource)
}

/// The events of a stream, each as one line of JSON.
struct EventSource: Sendable {
  /// Gives each event to a closure until the source ends, the node stops, or the task is cancelled.
  let send: @Sendable (_ give: ([UInt8]) async throws -> Void) async throws -> Void

  init<Event: Encodable & Sendable>(_ events: AsyncStream<Event>) {
    send = { give in
      for await event in events.cancelOnGracefulShutdown() { try await give(try LocalJSON.encode(event)) }
    }
  }
}
