import LatchkeyModel

/// A route of the local API: its input, its output, and the callers that it accepts.
///
/// The server registers its routes from these values, the client sends requests with them, and the OpenAPI document is
/// made from them. `Endpoints` lists all of them.
///
/// The initializers are never specialized: in a release build, the compiler of Swift 6.3.1 crashes while it specializes
/// their asynchronous closures for some combinations of parts.
///
/// Spec: Protocol/07-local-api.md §3.
package struct Endpoint<Input: Sendable, Output: Sendable>: Sendable {
  /// The endpoint with its types erased, for the server and the document.
  package let route: Route
  /// Returns the client's request for an input.
  let write: @Sendable (Input) throws -> OutgoingRequest

  /// Creates an endpoint that answers with one JSON value.
  ///
  /// - Parameters:
  ///   - method: The HTTP method.
  ///   - path: A template such as `/v1/devices/{device}`.
  ///   - parts: The values in the request's path, query and body, in the order of the handler's parameters.
  ///   - whoMay: The callers that are accepted.
  ///   - created: Whether a success creates something and has the status 201 instead of 200.
  ///   - waits: Whether the answer may be held until something changes.
  ///   - errors: The error codes in addition to those that every request can cause.
  ///   - summary: One sentence of documentation.
  ///   - answer: The handler.
  @_semantics("optimize.sil.specialize.generic.never")
  init<each Part: Sendable>(
    _ method: Route.Method, _ path: String, _ parts: repeat RequestPart<each Part>, whoMay: Set<Principal> = .operators,
    created: Bool = false, waits: Bool = false, errors: [LocalAPIError.Code] = [], summary: String,
    answer: @escaping @Sendable (Call, repeat each Part) async throws -> Output
  ) where Input == (repeat each Part), Output: Codable {
    self.init(
      method, path, repeat each parts, whoMay: whoMay, kind: waits ? .longPoll : .once, status: created ? 201 : 200,
      errors: errors, summary: summary, schema: { try $0.schema(of: Output.self) },
      respond: { (call: Call, values: repeat each Part) in
        .value(try LocalJSON.encode(try await answer(call, repeat each values)))
      })
  }

  /// Creates an endpoint that answers with a stream of events, one JSON value each, until the node stops or the client
  /// disconnects.
  ///
  /// - Parameters:
  ///   - path: A template such as `/v1/commands/events`.
  ///   - parts: The values in the request's path and query, in the order of the handler's parameters.
  ///   - whoMay: The callers that are accepted.
  ///   - errors: The error codes in addition to those that every request can cause.
  ///   - summary: One sentence of documentation.
  ///   - events: The handler, whose stream must keep only the newest events for a slow reader.
  @_semantics("optimize.sil.specialize.generic.never")
  init<each Part: Sendable, Event: Codable & Sendable>(
    events path: String, _ parts: repeat RequestPart<each Part>, whoMay: Set<Principal> = .operators,
    errors: [LocalAPIError.Code] = [], summary: String,
    events: @escaping @Sendable (Call, repeat each Part) async throws -> AsyncStream<Event>
  ) where Input == (repeat each Part), Output == AsyncStream<Event> {
    self.init(
      .get, path, repeat each parts, whoMay: whoMay, kind: .events, status: 200, errors: errors, summary: summary,
      schema: { try $0.schema(of: Event.self) },
      respond: { (call: Call, values: repeat each Part) in
        .events(EventSource(try await events(call, repeat each values)))
      })
  }

  @_semantics("optimize.sil.specialize.generic.never")
  private init<each Part: Sendable>(
    _ method: Route.Method, _ path: String, _ parts: repeat RequestPart<each Part>, whoMay: Set<Principal>,
    kind: Route.Kind, status: Int, errors: [LocalAPIError.Code], summary: String,
    schema: @escaping @Sendable (SchemaBook) throws -> JSONValue,
    respond: @escaping @Sendable (Call, repeat each Part) async throws -> Reply
  ) where Input == (repeat each Part) {
    let template = PathTemplate(path)
    var described: [PartDescription] = []
    for part in repeat each parts { described.append(part.description) }
    let write: @Sendable (Input) throws -> OutgoingRequest = { input in
      var request = OutgoingRequest(method: method, template: template)
      repeat try (each parts).write(each input, &request)
      return request
    }
    self.write = write
    route = Route(
      method: method, path: template, parts: described, kind: kind, status: status, errors: errors, whoMay: whoMay,
      summary: summary, schema: schema,
      rewrite: { request in try write((repeat try (each parts).read(request))) },
      respond: { call, request in try await respond(call, repeat try (each parts).read(request)) })
  }
}

/// A request that is being answered: its node and its caller.
package struct Call: Sendable {
  let node: any NodeInterface
  let caller: Caller
}
