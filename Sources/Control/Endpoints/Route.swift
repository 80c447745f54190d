import LatchkeyModel
import ServiceLifecycle

/// An endpoint without its types, as the server and the OpenAPI document use it.
package struct Route: Sendable {
  /// The methods in use.
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
    /// An endless stream of events.
    case events
  }

  package let method: Method
  package let path: PathTemplate
  let parts: [PartDescription]
  package let kind: Kind
  /// The HTTP status of a success.
  let status: Int
  /// The error codes in addition to those that every request can cause.
  let errors: [LocalAPIError.Code]
  /// The callers that are accepted; all others receive 403.
  package let whoMay: Set<Principal>
  /// One sentence of documentation.
  let summary: String
  /// Returns the schema of the answer, or of one event of a stream.
  let schema: @Sendable (SchemaBook) throws -> JSONValue
  /// Decodes a request and encodes it again, as the client would.
  package let rewrite: @Sendable (IncomingRequest) throws -> OutgoingRequest
  /// Answers a request from a caller that has been checked.
  let respond: @Sendable (Call, IncomingRequest) async throws -> Reply

  /// A Boolean value that indicates whether the endpoint reads a body.
  var takesBody: Bool { parts.contains { $0.place == .body } }

  /// A unique name for programs, such as `get-devices-device`.
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
