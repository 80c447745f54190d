import Glibc
import LatchkeyModel
import LatchkeyProtocol
import LatchkeyWire
import NIOCore
import NIOPosix
import Synchronization

/// Takes connections from other nodes, and from strangers within their limits.
public final class Listener: Sendable {
  private let servers: [Server]
  private let strangers = Mutex(StrangerLimits())
  /// The port all its sockets listen on.
  public let port: UInt16
  /// Where it listens, such as `0.0.0.0:41234`.
  public let addresses: [String]

  /// A connection that has just been taken.
  private struct Accepted: Sendable {
    var channel: any Channel
    var limit: FrameLimit
    var reader: FrameReader
  }

  private typealias Server = NIOAsyncChannel<Accepted, Never>

  /// Begin to listen.
  ///
  /// - Parameters:
  ///   - interfaces: names; nil for all. `lo` stands for 127.0.0.1 and, where there is one, ::1.
  ///   - port: 0 for any that is free.
  /// - Throws: `TransportError.portInUse` or `cannotListen`.
  public init(interfaces: [String]?, port: UInt16) async throws(TransportError) {
    // A port that is free at one address may be taken at the next one; where none was asked for, another will do.
    servers = try await Self.bind(Self.bindings(interfaces), port: port, tries: port == 0 ? 16 : 1)
    self.port = servers.first.flatMap(Self.port) ?? port
    addresses = servers.compactMap { server in
      server.channel.localAddress.map { address in
        let host = address.ipAddress ?? "?"
        return host.contains(":") ? "[\(host)]:\(address.port ?? 0)" : "\(host):\(address.port ?? 0)"
      }
    }
  }

  /// Runs `body` for each connection until the task is cancelled, or the kernel ends one of the sockets; a connection's preamble
  /// has been read by then.
  ///
  /// A connection is closed when `body` returns, and a stranger's place given back, unless the connection was handed over.
  /// For a peer that has proved who it is, `body` releases the ticket before that.
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
      // A node that takes calls on some of its addresses alone would look as if it were well: all sockets end together.
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
    /// A Boolean value that indicates whether a host may lack the address: `::1` is not there without IPv6. A port that is
    /// taken there is an error as elsewhere: what is announced leads there.
    var isOptional = false
  }

  private static func port(_ server: Server) -> UInt16? {
    server.channel.localAddress?.port.flatMap { UInt16(exactly: $0) }
  }

  /// Binds a socket for each of `bindings`, all to one port.
  private static func bind(
    _ bindings: [Binding], port: UInt16, tries: Int
  ) async throws(TransportError) -> [Server] {
    var servers: [Server] = []
    do {
      for binding in bindings {
        let chosen = servers.first.flatMap(Self.port) ?? port
        do {
          servers.append(try await bind(binding, port: chosen))
        } catch let error as IOError where binding.host == "::" && error.errnoCode != EADDRINUSE {
          // A host without IPv6.
          servers.append(try await bind(Binding(host: "0.0.0.0", device: binding.device), port: chosen))
        } catch let error as IOError where binding.isOptional && error.errnoCode != EADDRINUSE {
          continue
        }
      }
      return servers
    } catch {
      for server in servers { try? await server.channel.close() }
      guard let error = error as? IOError, error.errnoCode == EADDRINUSE else { throw .cannotListen("\(error)") }
      guard tries > 1 else { throw .portInUse(port) }
    }
    return try await bind(bindings, port: port, tries: tries - 1)
  }

  private static func bindings(_ interfaces: [String]?) -> [Binding] {
    guard let interfaces, !interfaces.isEmpty else { return [Binding(host: "::", device: nil)] }
    // Beside others, its sockets are held to loopback too: the kernel gives one port to several sockets only then.
    let loopback = interfaces.count > 1 ? "lo" : nil
    return interfaces.flatMap { name in
      name == "lo"
        ? [Binding(host: "127.0.0.1", device: loopback), Binding(host: "::1", device: loopback, isOptional: true)]
        : [Binding(host: "::", device: name)]
    }
  }

  private static func bind(
    _ binding: Binding, port: UInt16
  ) async throws -> Server {
    // Not by its name: the resolver knows no IPv6 address, not even this one, on a machine that has none at the moment.
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
      .bind(to: address) { channel in
        channel.eventLoop.makeCompletedFuture {
          let limit = FrameLimit()
          let reader = try FramePipeline.install(on: channel, limit: limit, awaitsPreamble: true)
          return Accepted(channel: channel, limit: limit, reader: reader)
        }
      }
  }

  /// Hold a socket to one interface, so that what was not named is not served.
  private static func bindToDevice(
    _ device: String, _ provider: any SocketOptionProvider, on eventLoop: any EventLoop
  ) -> EventLoopFuture<Void> {
    guard (1..<16).contains(device.utf8.count) else {
      return eventLoop.makeFailedFuture(TransportError.cannotListen("no interface is named \(device)"))
    }
    var name: (UInt64, UInt64) = (0, 0)
    withUnsafeMutableBytes(of: &name) { $0.copyBytes(from: device.utf8) }
    return provider.unsafeSetSocketOption(
      level: NIOBSDSocket.OptionLevel(rawValue: SOL_SOCKET), name: NIOBSDSocket.Option(rawValue: SO_BINDTODEVICE),
      value: name)
  }
}
