import Glibc
import Hummingbird
import HummingbirdCore
import LatchkeySystem
import Logging
import NIOCore
import NIOHTTP1
import Synchronization

/// A connection to the pages: the framework's, if the program at the other end is of the own
/// account.
///
/// Spec: Protocol/15-pages.md §1.
struct WebChannel: ServerChildChannel {
  typealias Value = HTTP1Channel.Value

  private let http: HTTP1Channel

  init(responder: @escaping HTTPChannelHandler.Responder) {
    http = HTTP1Channel(responder: responder, configuration: .init(idleTimeout: .seconds(60)))
  }

  func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Value> {
    guard Self.isOwn(channel) else {
      if Self.refusals.isNew() { logger.warning("another account has connected to the pages, and was refused") }
      refuse(channel)
      return channel.eventLoop.makeFailedFuture(ChannelError.operationUnsupported)
    }
    return http.setup(channel: channel, logger: logger)
  }

  func handle(value: Value, logger: Logger) async { await http.handle(value: value, logger: logger) }

  /// Closes a connection so that the kernel forgets it at once, whatever the other end does.
  ///
  /// The server leaves a connection open whose setup has failed, and the kernel keeps one that is
  /// closed in the usual way for a minute, while the other end does not close it as well.
  private func refuse(_ channel: any Channel) {
    if let options = channel as? any SocketOptionProvider {
      _ = options.setSoLinger(linger(l_onoff: 1, l_linger: 0))
    }
    channel.close(promise: nil)
  }

  /// When a refusal was logged last: another account can have any number of them.
  private static let refusals = RefusalLog()

  private static func isOwn(_ channel: any Channel) -> Bool {
    guard let client = channel.remoteAddress.flatMap(end), let server = channel.localAddress.flatMap(end) else {
      return false
    }
    return ConnectionOwner.account(client: client, server: server) == geteuid()
  }

  private static func end(_ address: SocketAddress) -> ConnectionOwner.End? {
    guard let port = address.port, let text = address.ipAddress, let ip = IPAddress(text) else { return nil }
    return ConnectionOwner.End(address: ip, port: UInt16(clamping: port))
  }
}

/// The refusals that are logged: one a minute, however many there are.
final class RefusalLog: Sendable {
  private static let milliseconds: Int64 = 60_000

  private let last = Mutex<Int64?>(nil)

  /// Returns whether a refusal is to be logged.
  func isNew(_ now: Int64 = SystemClock.boot.milliseconds) -> Bool {
    last.withLock { last in
      guard last.map({ now - $0 >= Self.milliseconds }) ?? true else { return false }
      last = now
      return true
    }
  }
}
