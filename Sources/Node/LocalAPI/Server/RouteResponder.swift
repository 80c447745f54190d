import Hummingbird
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
    guard route.whoMay.contains(context.caller.principal) else { throw ControlFailure.forbidden(context.caller) }
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

extension Response {
  static func json(_ bytes: [UInt8], status: Int) -> Response {
    Response(
      status: HTTPResponse.Status(code: status), headers: [.contentType: "application/json"],
      body: ResponseBody(byteBuffer: ByteBuffer(bytes: bytes)))
  }

  /// Creates an answer in plain text, which is always in Prometheus' text format of this version.
  static func text(_ text: String) -> Response {
    Response(
      status: .ok, headers: [.contentType: "text/plain; version=0.0.4; charset=utf-8"],
      body: ResponseBody(byteBuffer: ByteBuffer(string: text)))
  }

  /// Creates the answer to a failed request, which ends its connection.
  static func failure(_ failure: ControlFailure, on channel: any Channel) -> Response {
    var headers: HTTPFields = [.contentType: "application/json"]
    // The rest of a refused request is not read, so its connection cannot be reused.
    headers[.connection] = "close"
    if !failure.allow.isEmpty { headers[.allow] = failure.allow.joined(separator: ", ") }
    let body = (try? LocalJSON.encode(failure.error)) ?? []
    return Response(
      status: HTTPResponse.Status(code: failure.status), headers: headers,
      body: ResponseBody(contentLength: body.count) { writer in
        try await writer.write(ByteBuffer(bytes: body))
        try await writer.finish(nil)
        // The framework respects the header only in requests. This closes our direction; the other
        // one is read to its end.
        channel.close(mode: .output, promise: nil)
      })
  }

  /// Creates an answer that goes on until the node stops or the caller leaves: a line of JSON for
  /// each event, or server-sent events if the request accepts them.
  static func events(_ events: EventSource, to request: Request) -> Response {
    let accepted = request.headers[.accept]?.split(separator: ",").map { RouteResponder.mediaType($0) } ?? []
    let isForBrowsers = accepted.contains("text/event-stream")
    let (before, after) = isForBrowsers ? ("data: ", "\n\n") : ("", "\n")
    return Response(
      status: .ok, headers: [.contentType: isForBrowsers ? "text/event-stream" : "application/x-ndjson"],
      body: ResponseBody { writer in
        do {
          try await request.body.consumeWithCancellationOnInboundClose { _ in
            try await events.send { event in
              try await writer.write(ByteBuffer(bytes: Array(before.utf8) + event + Array(after.utf8)))
            }
          }
        } catch is CancellationError {}
        try await writer.finish(nil)
      })
  }
}
