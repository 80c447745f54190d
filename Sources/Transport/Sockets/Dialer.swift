import LatchkeyModel
import LatchkeyProtocol
import NIOCore
import NIOPosix
import Synchronization

public struct Dialer: Sendable {
  public init() {}

  /// Connects, sends the preamble, runs `body`, and closes the connection unless it was handed
  /// over.
  ///
  /// A cancelled task does not wait for the connection to be established. `attempt` can cancel the
  /// call from elsewhere; `timeout` is the time to establish the connection, in milliseconds.
  /// Throws `TransportError.cannotConnect` on failure.
  public func withConnection<Value: Sendable>(
    to endpoint: SocketEndpoint, preamble: Preamble, attempt: DialAttempt = DialAttempt(), timeout: Int64 = 5_000,
    _ body: @escaping @Sendable (FrameConnection, FrameReader) async -> Value
  ) async throws(TransportError) -> Value {
    let limit = FrameLimit()
    do {
      let bootstrap = ClientBootstrap(group: NIOSingletons.posixEventLoopGroup)
        .connectTimeout(.milliseconds(timeout))
        .channelOption(.tcpOption(.tcp_nodelay), value: 1)
        .channelOption(.maxMessagesPerRead, value: ReceiveBuffers.readsAtATime)
        .channelOption(.recvAllocator, value: ReceiveBuffers())
      // A numeric address does not need the resolver, which costs a thread and two queries.
      let address = try? SocketAddress(ipAddress: endpoint.host, port: Int(endpoint.port))
      let (channel, reader) = try await withTaskCancellationHandler {
        guard let address else {
          return try await bootstrap.connect(host: endpoint.host, port: Int(endpoint.port)) {
            Self.pipeline($0, limit, attempt)
          }
        }
        return try await bootstrap.connect(to: address) { Self.pipeline($0, limit, attempt) }
      } onCancel: {
        attempt.giveUp()
      }
      let connection = FrameConnection(channel: channel, limit: limit)
      connection.send(preamble)
      let value = await body(connection, reader)
      if !connection.isHandedOver {
        if connection.isClosing { await reader.drain() }
        await connection.end()
      }
      return value
    } catch { throw .cannotConnect(endpoint, Self.reason(error)) }
  }

  private static func pipeline(
    _ channel: any Channel, _ limit: FrameLimit, _ attempt: DialAttempt
  ) -> EventLoopFuture<(any Channel, FrameReader)> {
    attempt.began(channel)
    return channel.eventLoop.makeCompletedFuture {
      (channel, try FramePipeline.install(on: channel, limit: limit, awaitsPreamble: false))
    }
  }

  private static func reason(_ error: any Error) -> String {
    if let error = error as? NIOConnectionError, let first = error.connectionErrors.first {
      return reason(first.error)
    }
    if let error = error as? IOError {
      switch error.errnoCode {
      case 111: return "nothing listens there"
      case 113, 101: return "no route"
      case 110: return "no answer"
      default: return "\(error)"
      }
    }
    if case .connectTimeout? = error as? ChannelError { return "no answer" }
    if error is CancellationError { return "given up" }
    return "\(error)"
  }
}

/// A call, which can be cancelled before and after its connection is established.
public final class DialAttempt: Sendable {
  private struct State {
    var channel: (any Channel)?
    var isGivenUp = false
  }

  private let state = Mutex(State())

  public init() {}

  /// Records that the socket exists, before the connection is established.
  fileprivate func began(_ channel: any Channel) {
    let isGivenUp = state.withLock { state in
      state.channel = channel
      return state.isGivenUp
    }
    if isGivenUp { channel.close(promise: nil) }
  }

  public func giveUp() {
    let channel = state.withLock { state in
      state.isGivenUp = true
      return state.channel
    }
    channel?.close(promise: nil)
  }
}
