import HummingbirdCore
import HummingbirdHTTP2
import Logging
import NIOCore
import NIOSSL
import NIOTLS
import Synchronization

/// The channel of a phone's connection, which counts connections and refuses too many.
///
/// Spec: Protocol/15-pages.md §8.
struct PhoneChannel<Inner: ServerChildChannel>: ServerChildChannel {
  typealias Value = Inner.Value

  private let inner: Inner
  private let counter: PhoneCounter

  init(_ inner: Inner, counter: PhoneCounter) { (self.inner, self.counter) = (inner, counter) }

  func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Value> {
    let address = channel.remoteAddress?.ipAddress ?? ""
    guard counter.begin(address) else {
      // The server leaves a connection open if its setup fails.
      channel.close(promise: nil)
      return channel.eventLoop.makeFailedFuture(ChannelError.operationUnsupported)
    }
    let counter = counter
    channel.closeFuture.whenComplete { _ in counter.end(address) }
    let made = inner.setup(channel: channel, logger: logger)
    return channel.eventLoop.makeCompletedFuture {
      // Without TLS, there is no such handler and no handshake to wait for.
      guard let secure = try? channel.pipeline.syncOperations.handler(type: NIOSSLServerHandler.self) else { return }
      try channel.pipeline.syncOperations.addHandler(HandshakeDeadline(), position: .after(secure))
    }.flatMap { made }
  }

  func handle(value: Value, logger: Logger) async { await inner.handle(value: value, logger: logger) }
}

/// The kinds of connections of phones.
enum PhoneChannels {
  /// The time for which a connection stays open without a request.
  private static let idle: Duration = .seconds(60)

  /// Creates the channel of the trust step, without TLS.
  static func plain(_ responder: @escaping HTTPChannelHandler.Responder) -> HTTP1Channel {
    HTTP1Channel(responder: responder, configuration: .init(idleTimeout: .init(idle)))
  }

  /// Creates the channel of the pages: HTTP/2, which carries many requests on one connection, or
  /// HTTP/1.1.
  ///
  /// The library bounds a connection: 100 requests at a time, 16 KiB of headers, and 200 resets in
  /// 30 seconds. After more resets, it closes the connection (CVE-2023-44487).
  static func secure(
    _ configuration: TLSConfiguration, _ responder: @escaping HTTPChannelHandler.Responder
  ) throws -> HTTP2UpgradeChannel {
    try HTTP2UpgradeChannel(
      tlsConfiguration: configuration,
      configuration: .init(
        idleTimeout: idle, gracefulCloseTimeout: .seconds(2), streamConfiguration: .init(idleTimeout: .init(idle))),
      responder: responder)
  }
}

/// The handler that closes a connection if its TLS handshake takes too long.
private final class HandshakeDeadline: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer

  private static let patience: TimeAmount = .seconds(15)

  private var deadline: Scheduled<Void>?

  func handlerAdded(context: ChannelHandlerContext) {
    let channel = context.channel
    deadline = context.eventLoop.scheduleTask(in: Self.patience) { channel.close(promise: nil) }
  }

  func handlerRemoved(context: ChannelHandlerContext) { deadline?.cancel() }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    if case .handshakeCompleted? = event as? TLSUserEvent { deadline?.cancel() }
    context.fireUserInboundEventTriggered(event)
  }

  func channelInactive(context: ChannelHandlerContext) {
    deadline?.cancel()
    context.fireChannelInactive()
  }
}

/// The counter of phones' connections and requests.
///
/// It bounds them, because anyone in the network can open some.
///
/// Spec: Protocol/15-pages.md §8.
final class PhoneCounter: Sendable {
  /// The largest number for one address, for a proxy on this machine, and for all together.
  struct Bound: Sendable {
    var one: Int
    var proxy: Int
    var all: Int

    func most(of address: String) -> Int { address == PhoneService.proxyAddress ? proxy : one }
  }

  static let connections = Bound(one: 16, proxy: 64, all: 96)
  /// The bound of open requests, from their headers until their answers were taken.
  ///
  /// A connection may send many, and each may cause a request to the node.
  static let requests = Bound(one: 16, proxy: 48, all: 64)

  private let open = Mutex<[String: Int]>([:])
  private let asked = Mutex<[String: Int]>([:])

  /// Counts a connection, and returns whether there is room for it.
  func begin(_ address: String) -> Bool { open.withLock { Self.add(address, to: &$0, Self.connections) } }

  /// Notes that a connection has ended.
  func end(_ address: String) { open.withLock { Self.remove(address, from: &$0) } }

  /// Counts a request, and returns whether there is room for it.
  func ask(_ address: String) -> Bool { asked.withLock { Self.add(address, to: &$0, Self.requests) } }

  /// Notes that the answer to a request was taken.
  func answered(_ address: String) { asked.withLock { Self.remove(address, from: &$0) } }

  private static func add(_ address: String, to counts: inout [String: Int], _ bound: Bound) -> Bool {
    guard counts[address, default: 0] < bound.most(of: address), counts.values.reduce(0, +) < bound.all else {
      return false
    }
    counts[address, default: 0] += 1
    return true
  }

  private static func remove(_ address: String, from counts: inout [String: Int]) {
    let rest = counts[address, default: 0] - 1
    counts[address] = rest > 0 ? rest : nil
  }
}

/// The exchange of a phone's request and its answer, with bounds of number and time.
///
/// Anyone in the network can send a form one byte at a time, or take no byte of an answer. The
/// bounds keep this from taking others' room or this process's memory for long.
///
/// Spec: Protocol/15-pages.md §8.
struct PhoneExchange: Sendable {
  /// The longest time in which a form may arrive.
  private static let formPatience: TimeAmount = .seconds(10)
  /// The longest time in which an answer must be taken.
  private static let answerPatience: TimeAmount = .seconds(30)

  let counter: PhoneCounter
  let feed: ChangeFeed

  /// Answers a request on a connection, or on a stream of an HTTP/2 connection.
  func run(
    _ request: Request, _ writer: consuming ResponseWriter, _ channel: any Channel,
    _ answer: @Sendable (WebRequest) async -> WebAnswer
  ) async throws {
    let address = channel.remoteAddress?.ipAddress ?? ""
    // The parent of a connection is the listener. The parent of an HTTP/2 stream is its connection.
    let isStream = channel.parent?.parent != nil
    guard counter.ask(address) else {
      // The stream is closed without waiting for the rest of the form.
      defer { if isStream { channel.close(promise: nil) } }
      let refusal = WebAnswer(503, [("Retry-After", "1"), ("Cache-Control", "no-store")])
      let response = refusal.response(to: request, door: nil, feed: feed)
      try await writer.write(response: response.head, body: response.body)
      return
    }
    var asked = WebRequest(request, from: address)
    let body = asked.body
    asked.body = {
      let deadline = channel.eventLoop.scheduleTask(in: Self.formPatience) { channel.close(promise: nil) }
      defer { deadline.cancel() }
      return try await body()
    }
    let answer = await answer(asked)
    let response = answer.response(to: request, door: nil, feed: feed)
    if case .changes = answer.body {
      // A stream of changes is open as long as its page, and does not count.
      counter.answered(address)
      try await writer.write(response: response.head, body: response.body)
      return
    }
    let deadline = channel.eventLoop.scheduleTask(in: Self.answerPatience) { channel.close(promise: nil) }
    let taken: @Sendable () -> Void = { [counter] in
      deadline.cancel()
      counter.answered(address)
    }
    // The written answer stays in memory until the phone has taken it. Then the stream ends.
    if isStream { channel.closeFuture.whenComplete { _ in taken() } }
    defer { if !isStream { taken() } }
    try await writer.write(response: response.head, body: response.body)
  }
}
