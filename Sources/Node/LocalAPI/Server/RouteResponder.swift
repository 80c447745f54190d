import Hummingbird
import LatchkeyModel
import NIOCore
import ServiceLifecycle

/// The responder of one endpoint, which checks the caller, reads the body, and sends the endpoint's
/// answer.
struct RouteResponder: HTTPResponder {
  typealias Context = ControlRequestContext

  let endpoint: any ServedEndpoint
  let node: ControlResponder.Node

  func respond(to request: Request, context: ControlRequestContext) async throws -> Response {
    let route = endpoint.route
    guard route.whoMay.contains(context.caller.principal) else {
      throw ControlFailure.forbidden(context.caller)
    }
    var incoming = IncomingRequest(parameters: [:], query: context.target.query)
    for case .path(let name) in route.parts.map(\.place) {
      incoming.parameters[name] = context.parameters.get(name).flatMap { PercentCoding.decode($0) }
    }
    if route.takesBody { incoming.body = try await Self.body(of: request) }
    let (node, asked) = (node(context.caller), incoming)
    let reply =
      route.kind == .longPoll
      ? try await Self.untilShutdown { try await endpoint.respond(node, asked) }
      : try await endpoint.respond(node, asked)
    switch reply {
    case .value(let bytes): return .json(bytes, status: route.status)
    case .text(let text): return .text(text)
    case .events(let events): return .events(events, to: request)
    }
  }

  private static func body(of request: Request) async throws -> [UInt8] {
    if let type = request.headers[.contentType], mediaType(type) != "application/json" {
      throw ControlFailure(415, .invalid, "The request's body is not of the type application/json: send JSON.")
    }
    if let encoding = request.headers[.contentEncoding], encoding.lowercased() != "identity" {
      throw ControlFailure(415, .invalid, "The request's body is compressed: send it as it is.")
    }
    do {
      return Array(try await request.body.collect(upTo: LocalJSON.requestBytes).readableBytesView)
    } catch is NIOTooManyBytesError {
      throw ControlFailure(413, .invalid, "The request's body is over 256 KiB: send less.")
    }
  }

  /// Returns a media type without its parameters.
  static func mediaType(_ text: some StringProtocol) -> String {
    text.prefix { $0 != ";" }.lowercased().filter { $0 != " " && $0 != "\t" }
  }

  /// Waits for a value; throws if the node is told to stop.
  private static func untilShutdown<Value: Sendable>(
    _ wait: @escaping @Sendable () async throws -> Value
  ) async throws -> Value {
    try await withThrowingTaskGroup(of: Value.self) { group in
      group.addTask { try await wait() }
      group.addTask {
        try await gracefulShutdown()
        throw ControlFailure.stopping
      }
      defer { group.cancelAll() }
      guard let value = try await group.next() else { throw ControlFailure.stopping }
      return value
    }
  }
}
