import Glibc
import LatchkeyModel
import LatchkeyProtocol
import NIOCore
import NIOPosix
import Synchronization

/// A listener that accepts connections from other nodes, and limits those that are not
/// authenticated.
public final class Listener: Sendable {
  private let servers: [Server]
  private let strangers = Mutex(StrangerLimits())
  public let port: UInt16
  /// The addresses on which it listens, such as `0.0.0.0:41234`.
  public let addresses: [String]

  private struct Accepted: Sendable {
    var channel: any Channel
    var limit: FrameLimit
    var reader: FrameReader
  }

  private typealias Server = NIOAsyncChannel<Accepted, Never>

  /// Starts listening on the interfaces of these names, or with `nil` on all.
  ///
  /// `lo` stands for 127.0.0.1 and, if it exists, ::1. Port 0 stands for any that is free. Throws
  /// `TransportError.portInUse`, `noInterface` or `cannotListen`.
  public init(interfaces: [String]?, port: UInt16) async throws(TransportError) {
    // A port that is free at one address may be in use at the next. If none was requested, another
    // one is tried.
    servers = try await Self.bind(Self.bindings(interfaces), port: port, tries: port == 0 ? 16 : 1)
    self.port = servers.first.flatMap(Self.port) ?? port
    addresses = servers.compactMap { server in
      server.channel.localAddress.map { address in
        "\(SocketEndpoint(host: address.ipAddress ?? "?", port: UInt16(clamping: address.port ?? 0)))"
      }
    }
  }

  /// Runs `body` for each connection until the task is cancelled or the kernel ends one of the
  /// sockets.
  ///
  /// The preamble of a connection is read before. When `body` returns, the connection is closed and
  /// its place is released, unless it was handed over. `body` releases the ticket earlier if the
  /// peer is authenticated.
  public func run(
    _ body: @escaping @Sendable (FrameConnection, Preamble, FrameReader, StrangerTicket) async -> Void
  ) async {
    await withTaskGroup(of: Void.self) { group in
      for server in servers {
        group.addTask {
          try? await server.executeThenClose { connections in
            try await withThrowingDiscardingTaskGroup { group in
              for try await connection in connections {
                group.addTask { await self.serve(connection, body) }
              }
            }
          }
        }
      }
      // A node that listens on only some of its addresses would appear to work, so all sockets end
      // together.
      await group.next()
      group.cancelAll()
    }
  }

  private func serve(
    _ accepted: Accepted, _ body: @Sendable (FrameConnection, Preamble, FrameReader, StrangerTicket) async -> Void
  ) async {
    let connection = FrameConnection(channel: accepted.channel, limit: accepted.limit)
    guard strangers.withLock({ $0.admit(connection.remoteHost) }) else { return await connection.end() }
    let ticket = StrangerTicket { self.strangers.withLock { $0.release(connection.remoteHost) } }
    if case .preamble(let preamble)? = await accepted.reader.nextPiece() {
      await body(connection, preamble, accepted.reader, ticket)
    }
    guard !connection.isHandedOver else { return }
    if connection.isClosing { await accepted.reader.drain() }
    ticket.release()
    await connection.end()
  }

  private struct Binding {
    var host: String
    var device: String?
    /// A Boolean value that indicates whether the address may be missing on the host: `::1` does
    /// not exist without IPv6.
    ///
    /// A port that is in use there is an error nevertheless, since the announcement names it.
    var isOptional = false
  }

  private static func port(_ server: Server) -> UInt16? {
    server.channel.localAddress?.port.flatMap { UInt16(exactly: $0) }
  }

  /// Binds a socket for each of `bindings`, all to the same port.
  private static func bind(_ bindings: [Binding], port: UInt16, tries: Int) async throws(TransportError) -> [Server] {
    var servers: [Server] = []
    do {
      for binding in bindings {
        let chosen = servers.first.flatMap(Self.port) ?? port
        do {
          servers.append(try await bind(binding, port: chosen))
        } catch let error as IOError where binding.host == "::" && error.errnoCode != EADDRINUSE {
          // The host has no IPv6.
          servers.append(try await bind(Binding(host: "0.0.0.0", device: binding.device), port: chosen))
        } catch let error as IOError where binding.isOptional && error.errnoCode != EADDRINUSE {
          continue
        }
      }
      return servers
    } catch {
      for server in servers { try? await server.channel.close() }
      if let error = error as? TransportError { throw error }
      guard let error = error as? IOError, error.errnoCode == EADDRINUSE else { throw .cannotListen("\(error)") }
      guard tries > 1 else { throw .portInUse(port) }
    }
    return try await bind(bindings, port: port, tries: tries - 1)
  }

  private static func bindings(_ interfaces: [String]?) -> [Binding] {
    guard let interfaces, !interfaces.isEmpty else { return [Binding(host: "::", device: nil)] }
    // With further interfaces, these sockets are bound to the loopback device too, since the kernel
    // assigns one port to several sockets only in that case.
    let loopback = interfaces.count > 1 ? "lo" : nil
    return interfaces.flatMap { name in
      name == "lo"
        ? [Binding(host: "127.0.0.1", device: loopback), Binding(host: "::1", device: loopback, isOptional: true)]
        : [Binding(host: "::", device: name)]
    }
  }

  private static func bind(_ binding: Binding, port: UInt16) async throws -> Server {
    // The host is not passed as a name: without an IPv6 address, the resolver does not even accept
    // a numeric one.
    let address = try SocketAddress(ipAddress: binding.host, port: Int(port))
    return try await ServerBootstrap(group: NIOSingletons.posixEventLoopGroup)
      .serverChannelOption(.backlog, value: 128)
      .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
      .serverChannelInitializer { channel in
        guard let device = binding.device, let provider = channel as? any SocketOptionProvider else {
          return channel.eventLoop.makeSucceededVoidFuture()
        }
        return bindToDevice(device, provider, on: channel.eventLoop)
      }
      .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
      .childChannelOption(.maxMessagesPerRead, value: ReceiveBuffers.readsAtATime)
      .childChannelOption(.recvAllocator, value: ReceiveBuffers())
      .bind(to: address) { channel in
        channel.eventLoop.makeCompletedFuture {
          let limit = FrameLimit()
          let reader = try FramePipeline.install(on: channel, limit: limit, awaitsPreamble: true)
          return Accepted(channel: channel, limit: limit, reader: reader)
        }
      }
  }

  /// Binds a socket to one interface, so that other interfaces are not served.
  private static func bindToDevice(
    _ device: String, _ provider: any SocketOptionProvider, on eventLoop: any EventLoop
  ) -> EventLoopFuture<Void> {
    guard (1..<16).contains(device.utf8.count), if_nametoindex(device) > 0 else {
      return eventLoop.makeFailedFuture(TransportError.noInterface(device))
    }
    var name: (UInt64, UInt64) = (0, 0)
    withUnsafeMutableBytes(of: &name) { $0.copyBytes(from: device.utf8) }
    return provider.unsafeSetSocketOption(
      level: NIOBSDSocket.OptionLevel(rawValue: SOL_SOCKET), name: NIOBSDSocket.Option(rawValue: SO_BINDTODEVICE),
      value: name)
  }
}

/// The place of an unauthenticated connection at the listener.
///
/// It is released once, even if `release` is called again.
public final class StrangerTicket: Sendable {
  private let action: Mutex<(@Sendable () -> Void)?>

  init(_ action: @escaping @Sendable () -> Void) { self.action = Mutex(action) }

  /// Releases the place, because the connection is authenticated or has ended.
  public func release() { action.withLock { $0.take() }?() }
}

/// A failure of a socket.
///
/// Each description includes the next step.
public enum TransportError: Error, Hashable, Sendable, CustomStringConvertible {
  case portInUse(UInt16)
  case cannotListen(String)
  case noInterface(String)
  case cannotConnect(SocketEndpoint, String)

  public var description: String {
    switch self {
    case .portInUse(let port):
      "Port \(port) is in use by another program: choose another one with --port, or none to take any that is free."
    case .cannotListen(let why): "Listening for other devices failed (\(why)): check --interfaces and --port."
    case .noInterface(let name):
      "There is no network interface “\(DeviceName(sanitising: name))” on this machine: `latchkey doctor` names those there are."
    case .cannotConnect(let endpoint, let why): "\(endpoint) cannot be reached (\(why))"
    }
  }
}
