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
/// It is a client of the local API, with the rights of the account that runs it.
///
/// Spec: Protocol/15-pages.md §1.
public struct WebServer: Sendable {
  private let place: WebPlace
  private let logger: Logger
  private let idle: Int64
  private let open: Opening
  private let phones: PhoneAccess?

  /// Returns the node.
  ///
  /// With an idempotency key, the node makes one edit once.
  public typealias Opening = @Sendable (_ key: String?) async throws -> any NodeInterface

  /// Creates the server.
  ///
  /// It ends `idle` milliseconds after the last page was closed.
  public init(
    _ place: WebPlace, logger: Logger, idle: Int64? = nil, phones: PhoneAccess? = nil, open: @escaping Opening
  ) {
    (self.place, self.logger, self.idle, self.open) = (place, logger, idle ?? LastPage.milliseconds, open)
    self.phones = phones
  }

  /// Serves until `idle` has passed since the last page was closed, or until the task is cancelled.
  ///
  /// Calls `onRunning` once pages can be opened.
  ///
  /// If another process serves at the place, this one ends, or waits for the end of the other.
  ///
  /// - Throws: `WebFault` if it cannot listen.
  public func run(isPatient: Bool = false, onRunning: @escaping @Sendable () -> Void) async throws {
    umask(0o077)
    if WebConfinement.isInForce {
      logger.info("the pages are confined to their own files")
    } else {
      logger.warning("the kernel has no Landlock 2, so that the pages are not confined to their own files")
    }
    var taken = try place.take()
    if taken == nil { logger.notice("the pages are served already, by another process") }
    while taken == nil, isPatient {
      try await Task.sleep(for: .seconds(5))
      taken = try place.take()
    }
    guard let lock = taken else { return }
    defer {
      place.removeFiles()
      close(lock)
    }
    for _ in 0..<Self.mostPorts {
      guard let port = LoopbackPort.free() else { continue }
      do { return try await serve(port, onRunning) } catch let error as IOError where error.errnoCode == EADDRINUSE {
        // Another program has taken the port meanwhile.
        continue
      }
    }
    throw WebFault("No port of the loopback interface is free: end programs that listen on many, and try again.")
  }

  private static let mostPorts = 16
  /// The length of the queue of connections.
  ///
  /// The kernel allows 4,096 by default.
  ///
  /// If connections of another account fill the queue, the kernel drops the owner's, and the
  /// browser tries again only after a second or more.
  private static let backlog = 4_096

  private func serve(_ port: Int, _ onRunning: @escaping @Sendable () -> Void) async throws {
    // Each run has its own name, so that browsers do not send it the cookies of earlier runs and of
    // other ports.
    let name = "lk-\(Crockford.encode(SecureRandom.bytes(10)).lowercased()).localhost"
    let (host, door) = ("\(name):\(port)", WebDoor())
    let invitations = InvitationService(place, host: host, door: door, logger: logger)
    let desk = phones.map { [open] in PhoneDesk(stateFolder: $0.stateFolder, open: { try await open(nil) }) }
    let responder = WebResponder(
      check: RequestCheck(host: host), door: door, logger: logger, open: open,
      pages: PageService(logger: logger, phones: desk), onUse: { invitations.remove($0) })
    let feed = ChangeFeed(logger: logger) { [open] in try await open(nil) }
    door.whenSignedOut { Task { await feed.tell() } }
    let (changes, changed) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
    desk?.whenChanged {
      changed.yield()
      Task { await feed.tell() }
    }
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
      group.addTask { try await end(door, desk) }
      if WebConfinement.isInForce { group.addTask { try await Self.watchFolder() } }
      if let desk, let phones {
        let service = PhoneService(
          desk: desk, responder: PhoneResponder(desk: desk, logger: logger, open: phones.open), feed: feed,
          logger: logger, changes: changes)
        group.addTask {
          await service.run()
          try Task.checkCancellation()
        }
      }
      defer { group.cancelAll() }
      // The first task to end ends all: the last page was closed, a server cannot listen, or the
      // service is cancelled.
      do { try await group.next() } catch is CancellationError { return }
    }
  }

  /// Waits until the last page was closed long enough ago, and no phone is let in or may come.
  private func end(_ door: WebDoor, _ desk: PhoneDesk?) async throws {
    while case let left = door.left(idle: idle), left > 0 || desk?.isNeeded == true {
      try await Task.sleep(for: .milliseconds(left > 0 ? left : 5_000))
    }
    logger.info("the last page was closed")
  }

  /// Waits until this process may no longer open the folder of phones, and then throws a fault that
  /// ends it.
  ///
  /// A process that is started in its place may open the folder.
  private static func watchFolder() async throws {
    while !WebConfinement.isOutdated { try await Task.sleep(for: .seconds(5)) }
    throw WebFault(
      "The folder web of the state folder was replaced, and this process may not open the new one: run the command "
        + "again, unless the service latchkey-web does so by itself.")
  }

  private func server(
    _ address: String, _ port: Int, _ responder: WebResponder, _ feed: ChangeFeed,
    onRunning: @escaping @Sendable () -> Void
  ) throws -> any Service {
    var quiet = logger
    // The framework logs "Server started …" at the level info.
    if quiet.logLevel < .warning { quiet.logLevel = .warning }
    return try HTTPServerBuilder { WebChannel(responder: $0) }.buildServer(
      configuration: ServerConfiguration(address: .hostname(address, port: port), backlog: Self.backlog),
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

/// The dependencies of the pages for phones.
public struct PhoneAccess: Sendable {
  var stateFolder: String
  var open: Opening

  /// Returns the node with the rights of the browser that has a cookie, and with an idempotency key
  /// for one edit.
  public typealias Opening = @Sendable (_ cookie: String, _ key: String?) async throws -> any NodeInterface

  public init(stateFolder: String, open: @escaping Opening) { (self.stateFolder, self.open) = (stateFolder, open) }
}

enum LoopbackPort {
  /// The loopback addresses of this machine.
  ///
  /// The pages are served on all of them.
  ///
  /// A browser tries the IPv6 address first. If a program of another account listened there on the
  /// same port, it would get the browser's requests.
  static var addresses: [String] {
    let table = ProcFile.text("/proc/net/if_inet6", most: 65_536) ?? ""
    let hasVersion6 = table.split(separator: "\n").contains { $0.hasPrefix("00000000000000000000000000000001 ") }
    return ["127.0.0.1"] + (hasVersion6 ? ["::1"] : [])
  }

  /// Returns a port on which no program listens at present; `nil` if there is none.
  static func free() -> Int? { bound(to: 0, UInt32(0x7F00_0001)) }

  /// Returns whether no program listens on a port, at any of the addresses.
  static func isFree(_ port: Int) -> Bool { bound(to: port, 0) != nil }

  private static func bound(to port: Int, _ host: UInt32) -> Int? {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = host.bigEndian
    address.sin_port = UInt16(clamping: port).bigEndian
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isBound = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(descriptor, $0, size) == 0 && getsockname(descriptor, $0, &size) == 0
      }
    }
    return isBound ? Int(UInt16(bigEndian: address.sin_port)) : nil
  }
}
