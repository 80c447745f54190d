import Glibc
import Hummingbird
import HummingbirdCore
import LatchkeyModel
import LatchkeyNode
import LatchkeyProtocol
import LatchkeySystem
import Logging
import NIOCore
import NIOHTTP1
import NIOPosix
import ServiceLifecycle

/// The server of the family's pages, for one account, on the loopback interface.
///
/// It is one more client of the local API: the node answers it by the rights of the account that
/// runs it.
///
/// Spec: Protocol/15-pages.md §1.
public struct WebServer: Sendable {
  private let place: WebPlace
  private let logger: Logger
  private let idle: Int64
  private let open: Opening

  /// Returns the node; with a key for one edit, which the node makes once.
  public typealias Opening = @Sendable (_ key: String?) async throws -> any NodeInterface

  /// Creates the server.
  ///
  /// - Parameters:
  ///   - place: Where commands find it.
  ///   - logger: The logger.
  ///   - idle: How long it goes on after the last page was closed, in milliseconds.
  ///   - open: Returns the node; throws `LocalAPIError`, whose sentence a page shows.
  public init(
    _ place: WebPlace, logger: Logger, idle: Int64? = nil, open: @escaping Opening
  ) {
    (self.place, self.logger, self.idle, self.open) = (place, logger, idle ?? LastPage.milliseconds, open)
  }

  /// Serves until the last page was closed, or until the task is cancelled.
  ///
  /// It ends at once if another process serves at the place.
  ///
  /// - Parameter onRunning: Called once pages can be opened.
  /// - Throws: `WebFault` if it cannot listen.
  public func run(onRunning: @escaping @Sendable () -> Void) async throws {
    umask(0o077)
    guard let lock = try place.take() else { return logger.notice("the pages are served already, by another process") }
    defer {
      place.removeFiles()
      close(lock)
    }
    for _ in 0..<Self.mostPorts {
      guard let port = LoopbackPort.free() else { continue }
      do { return try await serve(port, onRunning) } catch let error as IOError where error.errnoCode == EADDRINUSE {
        // Another program took the port meanwhile.
        continue
      }
    }
    throw WebFault("No port of the loopback interface is free: end programs that listen on many, and try again.")
  }

  private static let mostPorts = 16

  private func serve(_ port: Int, _ onRunning: @escaping @Sendable () -> Void) async throws {
    // A name of its own for each run: cookies of earlier ones, and of other ports, are not sent to
    // it.
    let name = "lk-\(Crockford.encode(SecureRandom.bytes(10)).lowercased()).localhost"
    let (host, door) = ("\(name):\(port)", WebDoor())
    let invitations = InvitationService(place, host: host, door: door, logger: logger)
    let responder = WebResponder(
      check: RequestCheck(host: host), door: door, logger: logger, open: open, onUse: { invitations.remove($0) })
    let feed = ChangeFeed(logger: logger) { [open] in try await open(nil) }
    door.whenSignedOut { Task { await feed.tell() } }
    let (running, started) = AsyncStream<Void>.makeStream()
    let addresses = LoopbackPort.addresses
    try await withThrowingTaskGroup(of: Void.self) { group in
      for address in addresses {
        let server = try server(address, port, responder, feed) { started.yield() }
        group.addTask { try await server.run() }
      }
      group.addTask {
        var count = 0
        for await _ in running {
          count += 1
          if count == addresses.count { break }
        }
        try Task.checkCancellation()
        try await invitations.run(onRunning: onRunning)
      }
      group.addTask { try await end(door) }
      defer { group.cancelAll() }
      // The first to end is the last page, a server that cannot listen, or everything if cancelled.
      do { try await group.next() } catch is CancellationError { return }
    }
  }

  /// Waits until the last page was closed long enough ago.
  private func end(_ door: WebDoor) async throws {
    while case let left = door.left(idle: idle), left > 0 { try await Task.sleep(for: .milliseconds(left)) }
    logger.info("the last page was closed")
  }

  private func server(
    _ address: String, _ port: Int, _ responder: WebResponder, _ feed: ChangeFeed,
    onRunning: @escaping @Sendable () -> Void
  ) throws -> any Service {
    var quiet = logger
    // The framework logs "Server started …" at level info.
    if quiet.logLevel < .warning { quiet.logLevel = .warning }
    return try HTTPServerBuilder { WebChannel(responder: $0) }.buildServer(
      configuration: ServerConfiguration(address: .hostname(address, port: port), backlog: 256),
      eventLoopGroup: MultiThreadedEventLoopGroup.singleton, logger: quiet
    ) { request, writer, _ in
      let answer = await responder.answer(WebRequest(request))
      let response = answer.response(to: request, door: responder.door, feed: feed)
      try await writer.write(response: response.head, body: response.body)
    } onServerRunning: { _ in
      onRunning()
    }
  }
}

/// The ports of the loopback interface.
enum LoopbackPort {
  /// The loopback addresses of this machine, on all of which the pages are served.
  ///
  /// A browser tries that of version 6 first. A program of another account that listened there on
  /// the same port would get its requests.
  static var addresses: [String] {
    let table = ProcFile.text("/proc/net/if_inet6", most: 65_536) ?? ""
    let hasVersion6 = table.split(separator: "\n").contains { $0.hasPrefix("00000000000000000000000000000001 ") }
    return ["127.0.0.1"] + (hasVersion6 ? ["::1"] : [])
  }

  /// Returns a port that nobody listens on at present; `nil` if there is none.
  static func free() -> Int? {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isBound = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(descriptor, $0, size) == 0 && getsockname(descriptor, $0, &size) == 0
      }
    }
    return isBound ? Int(UInt16(bigEndian: address.sin_port)) : nil
  }
}
