import Hummingbird
import LatchkeyModel
import Logging
import NIOCore
import NIOHTTP1
import ServiceLifecycle

/// Answers the local API's requests out of a node.
struct ControlResponder: HTTPResponder {
  typealias Context = ControlRequestContext

  let node: any NodeInterface
  /// The user whose node this is.
  let owner: UInt32

  func respond(to request: Request, context: ControlRequestContext) async -> Response {
    do {
      guard let caller = await context.credentials(), caller.mayUseNode(of: owner) else {
        throw ControlFailure(
          403, .forbidden, "This node belongs to another user: run the command as the user who runs the node.")
      }
      // What follows the headers cannot be told apart without an encoding that is known here.
      if let encoding = request.headers[.transferEncoding], encoding.lowercased() != "chunked" {
        throw ControlFailure(
          501, .invalid, "The request's Transfer-Encoding is unknown here: send the body with a Content-Length.")
      }
      let route = try LocalRoute.read(method: request.method.rawValue, target: request.head.path ?? "")
      return try await answer(route, request: request, caller: caller)
    } catch let failure as ControlFailure {
      return Self.response(failure, on: context.channel)
    } catch let error as LocalAPIError {
      return Self.response(ControlFailure(error), on: context.channel)
    } catch let fault as HTTPParserError {
      return Self.response(ControlFailure(fault), on: context.channel)
    } catch is CancellationError {
      return Self.response(.stopping, on: context.channel)
    } catch {
      context.logger.error("A request failed", metadata: ["error": "\(error)"])
      return Self.response(
        ControlFailure(500, .internal, "The node could not answer: look for the cause in what `latchkey run` prints."),
        on: context.channel)
    }
  }

  private func answer(
    _ route: LocalRoute, request: Request, caller: PeerCredentials
  ) async throws -> Response {
    switch route {
    case .status: try Self.json(await node.status())
    case .sync: Self.stream(await node.syncStates())
    case .syncNow(let device): try Self.json(await node.syncNow(device: device))
    case .queue(let device, let streamClass, let limit):
      try Self.json(await node.queue(device: device, streamClass: streamClass, limit: limit))
    case .queueEntry(let device, let streamClass, let number):
      try Self.json(await node.queueEntry(device: device, streamClass: streamClass, number: number))
    case .devices: try Self.json(await node.devices())
    case .nearby: try Self.json(await node.nearby())
    case .unpair(let device): try Self.json(await node.unpair(device: device))
    case .forget(let device): try Self.json(await node.forget(device: device))
    case .release(let device): try Self.json(await node.release(device: device))
    case .invite: try Self.json(await node.invite(try await Self.body(request)), status: .created)
    case .join: try Self.json(await node.join(try await Self.body(request)), status: .created)
    case .pairings: try Self.json(await node.pairings())
    case .nearbyInvitations(let after):
      try Self.json(await Self.untilShutdown { try await node.nearbyInvitations(after: after) })
    case .pairing(let id, let after):
      try Self.json(await Self.untilShutdown { try await node.pairing(id: id, after: after) })
    case .answerPairing(let id): try Self.json(await node.answerPairing(id: id, try await Self.body(request)))
    case .cancelPairing(let id): try Self.json(await node.cancelPairing(id: id))
    case .issue: try Self.json(await node.issue(try await Self.body(request)), status: .created)
    case .commands(let device, let limit): try Self.json(await node.commands(device: device, limit: limit))
    case .command(let id): try Self.json(await node.command(id: id))
    case .waitForCommand(let id): try Self.json(await Self.untilShutdown { try await node.waitForCommand(id: id) })
    case .cancelCommand(let id): try Self.json(await node.cancelCommand(id: id))
    case .markMessageRead(let id): try Self.json(await node.markMessageRead(id: id))
    case .apps(let device): try Self.json(await node.apps(device: device))
    case .settings: try Self.json(await node.settings())
    case .usage(let query): try Self.json(await node.usage(query))
    case .summaries(let device, let from, let to):
      try Self.json(await node.summaries(device: device, from: from, to: to))
    case .startUsage: try Self.json(await node.startUsage(try await Self.usage(request, caller)), status: .created)
    case .endUsage(let id): try Self.json(await node.endUsage(recordID: id))
    }
  }

  /// Do a long wait, and give it up when the node is told to stop.
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

  /// A request to record a program, with the user who asks as the kernel says.
  private static func usage(_ request: Request, _ caller: PeerCredentials) async throws -> UsageStartRequest {
    var usage: UsageStartRequest = try await body(request)
    usage.caller = caller.userID
    return usage
  }

  private static func body<Value: Decodable>(_ request: Request) async throws -> Value {
    if let type = request.headers[.contentType], !isJSON(type) {
      throw ControlFailure(415, .invalid, "The request's body is not of the type application/json: send JSON.")
    }
    if let encoding = request.headers[.contentEncoding], encoding.lowercased() != "identity" {
      throw ControlFailure(415, .invalid, "The request's body is compressed: send it as it is.")
    }
    let buffer: ByteBuffer
    do {
      buffer = try await request.body.collect(upTo: LocalJSON.requestBytes)
    } catch is NIOTooManyBytesError {
      throw ControlFailure(413, .invalid, "The request's body is over 256 KiB: send less.")
    }
    let value: Value
    do {
      value = try LocalJSON.decode(Value.self, from: Array(buffer.readableBytesView))
    } catch {
      // What exactly was wrong may quote the body, and a body may hold a pairing code: it stays unsaid.
      throw ControlFailure(400, .invalid, "The request's body is not the JSON expected here: compare its description.")
    }
    if let fault = (value as? any CheckedRequest)?.textFault { throw ControlFailure(400, .invalid, fault) }
    return value
  }
}

extension ControlResponder {
  /// Returns whether a media type is JSON's, whatever its parameters.
  private static func isJSON(_ type: String) -> Bool {
    let name = type.prefix { $0 != ";" }.lowercased()
    return name.filter { $0 != " " && $0 != "\t" } == "application/json"
  }

  private static func json(_ value: some Encodable, status: HTTPResponse.Status = .ok) throws -> Response {
    Response(
      status: status, headers: [.contentType: "application/json"],
      body: ResponseBody(byteBuffer: ByteBuffer(bytes: try LocalJSON.encode(value))))
  }

  private static func response(_ failure: ControlFailure, on channel: any Channel) -> Response {
    var headers: HTTPFields = [.contentType: "application/json"]
    // What is left of a refused request is not read, so its connection cannot carry another one.
    headers[.connection] = "close"
    if !failure.allow.isEmpty { headers[.allow] = failure.allow.joined(separator: ", ") }
    let body = (try? LocalJSON.encode(failure.error)) ?? []
    return Response(
      status: HTTPResponse.Status(code: failure.status), headers: headers,
      body: ResponseBody(contentLength: body.count) { writer in
        try await writer.write(ByteBuffer(bytes: body))
        try await writer.finish(nil)
        // The framework heeds the header only in requests. Our direction ends; the other one is read to its end.
        channel.close(mode: .output, promise: nil)
      })
  }

  /// One line of JSON a state, until the node stops or the caller leaves.
  private static func stream(_ states: AsyncStream<SyncState>) -> Response {
    Response(
      status: .ok, headers: [.contentType: "application/x-ndjson"],
      body: ResponseBody { writer in
        for await state in states.cancelOnGracefulShutdown() {
          try await writer.write(ByteBuffer(bytes: try LocalJSON.encode(state) + [UInt8(ascii: "\n")]))
        }
        try await writer.finish(nil)
      })
  }
}
