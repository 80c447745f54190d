import Hummingbird
import HummingbirdCore
import Logging
import NIOCore
import NIOHTTP1
import Synchronization

/// A connection to the local API: the framework's HTTP/1.1 channel, with this API's body in each
/// error that it answers itself.
struct ControlChannel: ServerChildChannel {
  typealias Value = HTTP1Channel.Value

  private let http: HTTP1Channel
  private let counter: ConnectionCounter

  init(responder: @escaping HTTPChannelHandler.Responder, counter: ConnectionCounter) {
    self.counter = counter
    http = HTTP1Channel(responder: responder, configuration: .init(idleTimeout: .seconds(30)))
  }

  func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Value> {
    counter.admit(channel).flatMap { http.setup(channel: channel, logger: logger) }.flatMapThrowing { value in
      let pipeline = channel.pipeline.syncOperations
      let decoder = try pipeline.handler(type: ByteToMessageHandler<HTTPRequestDecoder>.self)
      try pipeline.addHandler(MalformedRequestHandler(), position: .after(decoder))
      return value
    }
  }

  func handle(value: Value, logger: Logger) async { await http.handle(value: value, logger: logger) }
}

/// A channel handler that gives the framework's own errors for invalid HTTP the status and body of
/// all other errors.
///
/// The framework answers such a request with an empty 400. The handler recognizes that answer by
/// the lack of `Content-Type`.
///
/// A request that repeats a header of which the node uses one value is invalid as well. The
/// framework would use the first, and a program that passes requests on may use the last.
///
/// Spec: Protocol/07-local-api.md §2
final class MalformedRequestHandler: ChannelDuplexHandler {
  typealias InboundIn = HTTPServerRequestPart
  typealias InboundOut = HTTPServerRequestPart
  typealias OutboundIn = HTTPServerResponsePart
  typealias OutboundOut = HTTPServerResponsePart

  /// The headers that a request has once at most.
  private static let single = ["host", "idempotency-key", "authorization"]

  private var fault: HTTPParserError?
  /// The answer to a request with a header that is repeated, after which nothing is read.
  private var repetition: ControlFailure?
  private var hasAnsweredRepetition = false

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    guard repetition == nil else { return }
    if case .head(let head) = unwrapInboundIn(data),
      let name = Self.single.first(where: { head.headers[$0].count > 1 })
    {
      repetition = .repeated(name)
      // Once earlier answers are sent, the framework answers as if the request were not readable.
      return context.fireErrorCaught(HTTPParserError.invalidHeaderToken)
    }
    context.fireChannelRead(data)
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    if fault == nil, let error = error as? HTTPParserError { fault = error }
    context.fireErrorCaught(error)
  }

  func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
    guard case .head(var head) = unwrapOutboundIn(data), head.status.code >= 400, head.headers["content-type"].isEmpty
    else { return context.write(data, promise: promise) }
    let failure = repetition ?? ControlFailure(fault ?? .unknown)
    hasAnsweredRepetition = repetition != nil
    let body = (try? LocalJSON.encode(failure.error)) ?? []
    head.status = HTTPResponseStatus(statusCode: failure.status)
    head.headers.replaceOrAdd(name: "content-type", value: "application/json")
    head.headers.replaceOrAdd(name: "content-length", value: String(body.count))
    context.write(wrapOutboundOut(.head(head)), promise: nil)
    context.write(wrapOutboundOut(.body(.byteBuffer(ByteBuffer(bytes: body)))), promise: promise)
  }

  func flush(context: ChannelHandlerContext) {
    context.flush()
    // The decoder, which closes after its own errors, has found none.
    if hasAnsweredRepetition { context.close(promise: nil) }
  }
}

/// A limit on the connections that each account has open at the same time.
///
/// An account that may ask little must not take the node's open files away from the family.
///
/// Spec: Protocol/07-local-api.md §1.
package final class ConnectionCounter: Sendable {
  /// The most connections of an account other than root and the node's user.
  package static let most = 64

  private let user: UInt32
  private let open = Mutex<[UInt32: Int]>([:])

  init(user: UInt32) { self.user = user }

  /// Counts a connection until it is closed; fails, which closes it, if its account has too many.
  func admit(_ channel: any Channel) -> EventLoopFuture<Void> {
    let admission = channel.peerCredentials().flatMapThrowing { credentials in
      let account = credentials.userID
      if account == 0 || account == self.user { return }
      guard self.begin(account) else { throw ChannelError.operationUnsupported }
      channel.closeFuture.whenComplete { _ in self.end(account) }
    }
    // The server leaves a connection open whose setup has failed.
    admission.whenFailure { _ in channel.close(promise: nil) }
    return admission
  }

  /// Counts one connection more; returns `false`, without counting it, if there are too many.
  func begin(_ account: UInt32) -> Bool {
    open.withLock { open in
      guard open[account, default: 0] < Self.most else { return false }
      open[account, default: 0] += 1
      return true
    }
  }

  func end(_ account: UInt32) {
    open.withLock { open in
      let rest = open[account, default: 0] - 1
      open[account] = rest > 0 ? rest : nil
    }
  }
}
