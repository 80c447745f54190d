import HummingbirdCore
import Logging
import NIOCore
import NIOSSL
import Synchronization

/// A connection of a phone: the framework's, behind TLS except for the trust step.
struct PhoneChannel: ServerChildChannel {
  typealias Value = HTTP1Channel.Value

  private let http: HTTP1Channel
  private let context: NIOSSLContext?
  private let counter: PhoneCounter

  init(responder: @escaping HTTPChannelHandler.Responder, context: NIOSSLContext?, counter: PhoneCounter) {
    (self.context, self.counter) = (context, counter)
    http = HTTP1Channel(responder: responder, configuration: .init(idleTimeout: .seconds(60)))
  }

  func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Value> {
    let address = channel.remoteAddress?.ipAddress ?? ""
    guard counter.begin(address) else {
      // The server leaves a connection open whose setup has failed.
      channel.close(promise: nil)
      return channel.eventLoop.makeFailedFuture(ChannelError.operationUnsupported)
    }
    let counter = counter
    channel.closeFuture.whenComplete { _ in counter.end(address) }
    let context = context
    return channel.eventLoop.makeCompletedFuture {
      guard let context else { return }
      try channel.pipeline.syncOperations.addHandler(NIOSSLServerHandler(context: context))
    }.flatMap { [http] in http.setup(channel: channel, logger: logger) }
  }

  func handle(value: Value, logger: Logger) async { await http.handle(value: value, logger: logger) }
}

/// The connections of phones, of which everybody in the network may open some.
final class PhoneCounter: Sendable {
  /// The most connections of one address, of a proxy on this machine, and of all together.
  static let (mostOfOne, mostOfProxy, most) = (16, 64, 96)

  private let counts = Mutex<[String: Int]>([:])

  /// Counts a connection; returns whether there is room for it.
  func begin(_ address: String) -> Bool {
    let bound = address == PhoneService.proxyAddress ? Self.mostOfProxy : Self.mostOfOne
    return counts.withLock { counts in
      guard counts[address, default: 0] < bound, counts.values.reduce(0, +) < Self.most else { return false }
      counts[address, default: 0] += 1
      return true
    }
  }

  /// Notes that a connection has ended.
  func end(_ address: String) {
    counts.withLock { counts in
      let rest = counts[address, default: 0] - 1
      counts[address] = rest > 0 ? rest : nil
    }
  }
}
