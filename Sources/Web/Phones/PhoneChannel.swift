import HummingbirdCore
import HummingbirdHTTP2
import Logging
import NIOCore
import NIOSSL
import NIOTLS
import Synchronization

/// A connection of a phone: the framework's, behind a count of connections.
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
      // The server leaves a connection open whose setup has failed.
      channel.close(promise: nil)
      return channel.eventLoop.makeFailedFuture(ChannelError.operationUnsupported)
    }
    let counter = counter
    channel.closeFuture.whenComplete { _ in counter.end(address) }
    let made = inner.setup(channel: channel, logger: logger)
    return channel.eventLoop.makeCompletedFuture {
      // Without TLS, there is no such handler, and nothing to wait for.
      guard let secure = try? channel.pipeline.syncOperations.handler(type: NIOSSLServerHandler.self) else { return }
      try channel.pipeline.syncOperations.addHandler(HandshakeDeadline(), position: .after(secure))
    }.flatMap { made }
  }

  func handle(value: Value, logger: Logger) async { await inner.handle(value: value, logger: logger) }
}

/// The kinds of connections of phones.
enum PhoneChannels {
  /// How long a connection stays without a request.
  private static let idle: Duration = .seconds(60)

  /// Creates the channel of the trust step, without TLS.
  static func plain(_ responder: @escaping HTTPChannelHandler.Responder) -> HTTP1Channel {
    HTTP1Channel(responder: responder, configuration: .init(idleTimeout: .init(idle)))
  }

  /// Creates the channel of the pages: HTTP/2, by which all pages of a browser share a connection,
  /// or HTTP/1.1.
  ///
  /// The library bounds what a connection may ask for: 100 requests at a time, 16 KiB of headers,
  /// and 200 resets in 30 seconds, after which it closes the connection (CVE-2023-44487).
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

/// The end of a connection that does not finish its TLS handshake in time.
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
