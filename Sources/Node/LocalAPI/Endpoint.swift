import LatchkeyModel

/// A route of the local API: its input, its output, the callers that it accepts, and its handler.
///
/// The server registers its routes from these values, the client sends requests with them, tests
/// answer in their place, and the OpenAPI document is made from them. `Endpoints` lists all of
/// them.
///
/// The initializers are never specialized: in a release build, the compiler of Swift 6.3.1 crashes
/// while it specializes their asynchronous closures for some combinations of parts.
///
/// Spec: Protocol/07-local-api.md §3.
public struct Endpoint<Input: Sendable, Output: Sendable>: Sendable {
  /// The description of the endpoint, without its types.
  package let route: Route
  package let write: @Sendable (Input) throws -> OutgoingRequest
  package let receive: @Sendable (any Exchange) async throws -> Output
  /// Returns the input of a request; throws `ControlFailure`, the caller's fault, if it is
  /// malformed.
  let read: @Sendable (IncomingRequest) throws -> Input
  let reply: @Sendable (Output) throws -> Reply
  /// The handler, for a caller and a role that have been checked.
  let answer: @Sendable (Call, Input) async throws -> Output

  /// Creates an endpoint that answers with one JSON value.
  ///
  /// The path is a template such as `/v1/devices/{device}`. The parts are in the order of the
  /// handler's parameters. With `created`, a success has the status 201 instead of 200; with
  /// `waits`, the answer may be held until something changes. `Route` describes the rest.
  @_semantics("optimize.sil.specialize.generic.never")
  init<each Part: Sendable>(
    _ method: Route.Method, _ path: String, _ parts: repeat RequestPart<each Part>, whoMay: Set<Principal> = .operators,
    browsers: BrowserUse = .nothing, on place: Route.Place? = nil, created: Bool = false, waits: Bool = false,
    errors: [LocalAPIError.Code] = [], summary: String,
    answer: @escaping @Sendable (Call, repeat each Part) async throws -> Output
  ) where Input == (repeat each Part), Output: Codable {
    self.init(
      method, path, repeat each parts, whoMay: whoMay.union(browsers.principals), place: place,
      kind: waits ? .longPoll : .once, status: created ? 201 : 200, errors: errors, summary: summary,
      output: Output.self, reply: { .value(try LocalJSON.encode($0)) },
      receive: { try LocalJSON.decode(Output.self, from: await $0.bytes()) }, answer: answer)
  }

  /// Creates an endpoint that answers with a stream of events, one JSON value each, until the node
  /// stops or the client disconnects.
  ///
  /// The handler's stream must keep only the newest events for a slow reader.
  @_semantics("optimize.sil.specialize.generic.never")
  init<each Part: Sendable, Event: Codable & Sendable>(
    events path: String, _ parts: repeat RequestPart<each Part>, whoMay: Set<Principal> = .operators,
    browsers: BrowserUse = .nothing, on place: Route.Place? = nil, errors: [LocalAPIError.Code] = [], summary: String,
    events: @escaping @Sendable (Call, repeat each Part) async throws -> AsyncStream<Event>
  ) where Input == (repeat each Part), Output == AsyncStream<Event> {
    self.init(
      .get, path, repeat each parts, whoMay: whoMay.union(browsers.principals), place: place, kind: .events,
      status: 200, errors: errors, summary: summary, output: Event.self, reply: { .events(EventSource($0)) },
      receive: { try await $0.events(of: Event.self) }, answer: events)
  }

  @_semantics("optimize.sil.specialize.generic.never")
  init<each Part: Sendable>(
    text path: String, _ parts: repeat RequestPart<each Part>, whoMay: Set<Principal> = .operators,
    browsers: BrowserUse = .nothing, summary: String,
    text: @escaping @Sendable (Call, repeat each Part) async throws -> String
  ) where Input == (repeat each Part), Output == String {
    self.init(
      .get, path, repeat each parts, whoMay: whoMay.union(browsers.principals), place: nil, kind: .text, status: 200,
      errors: [], summary: summary, output: String.self, reply: { .text($0) },
      receive: { String(decoding: try await $0.bytes(), as: UTF8.self) }, answer: text)
  }

  @_semantics("optimize.sil.specialize.generic.never")
  private init<each Part: Sendable>(
    _ method: Route.Method, _ path: String, _ parts: repeat RequestPart<each Part>, whoMay: Set<Principal>,
    place: Route.Place?, kind: Route.Kind, status: Int, errors: [LocalAPIError.Code], summary: String,
    output: any (Decodable & Sendable).Type, reply: @escaping @Sendable (Output) throws -> Reply,
    receive: @escaping @Sendable (any Exchange) async throws -> Output,
    answer: @escaping @Sendable (Call, repeat each Part) async throws -> Output
  ) where Input == (repeat each Part) {
    let template = PathTemplate(path)
    var described: [PartDescription] = []
    for part in repeat each parts { described.append(part.description) }
    route = Route(
      method: method, path: template, parts: described, kind: kind, status: status,
      errors: errors + (place == nil ? [] : [.wrongRole]), whoMay: whoMay, place: place, summary: summary,
      output: output)
    write = { input in
      var request = OutgoingRequest(method: method, template: template)
      repeat try (each parts).write(each input, &request)
      return request
    }
    read = { request in (repeat try (each parts).read(request)) }
    self.reply = reply
    self.receive = receive
    self.answer = { call, input in try await answer(call, repeat each input) }
  }
}

/// An endpoint without its types, as the server has it.
package protocol ServedEndpoint: Sendable {
  var route: Route { get }
  func respond(_ node: any NodeInterface, _ request: IncomingRequest) async throws -> Reply
  /// Decodes a request and encodes it again, as the client would.
  func rewrite(_ request: IncomingRequest) throws -> OutgoingRequest
}

extension Endpoint: ServedEndpoint {
  package func respond(_ node: any NodeInterface, _ request: IncomingRequest) async throws -> Reply {
    try reply(await node.ask(self, read(request)))
  }

  package func rewrite(_ request: IncomingRequest) throws -> OutgoingRequest { try write(read(request)) }
}

/// A node that answers: the running one, by a caller's rights; one behind its socket; or one of a
/// test.
public protocol NodeInterface: Sendable {
  func ask<Input: Sendable, Answer: Sendable>(
    _ endpoint: Endpoint<Input, Answer>, _ input: Input
  ) async throws(LocalAPIError) -> Answer
}

extension NodeInterface {
  public func ask<Answer: Sendable>(_ endpoint: Endpoint<Void, Answer>) async throws(LocalAPIError) -> Answer {
    try await ask(endpoint, ())
  }
}

package protocol Exchange: Sendable {
  func bytes() async throws -> [UInt8]
  func events<Event: Decodable & Sendable>(of type: Event.Type) async throws -> AsyncStream<Event>
}

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

  /// Returns the endpoints that match the decoded segments of a path, with the values of their
  /// parameters, in the order of the server's router.
  ///
  /// A literal path precedes one with parameters, so that `/v1/pairing/nearby` is not taken for a
  /// pairing's ID.
  package static func matches(_ path: [String]) -> [(endpoint: any ServedEndpoint, parameters: [String: String])] {
    let found = all.compactMap { one in one.route.path.parameters(in: path).map { (endpoint: one, parameters: $0) } }
    let fewest = found.map(\.parameters.count).min()
    return found.filter { $0.parameters.count == fewest }
  }
}
