import Glibc
import Hummingbird
import HummingbirdCore
import LatchkeySystem
import Logging
import NIOCore
import NIOHTTP1
import Synchronization

/// The channel of a connection to the pages.
///
/// It closes the connection unless the other end belongs to the own account.
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
  /// The server leaves a connection open if its setup fails. The kernel keeps a connection that is
  /// closed in the usual way for a minute, unless the other end also closes it.
  private func refuse(_ channel: any Channel) {
    if let options = channel as? any SocketOptionProvider { _ = options.setSoLinger(linger(l_onoff: 1, l_linger: 0)) }
    channel.close(promise: nil)
  }

  /// The time of the last logged refusal.
  ///
  /// Another account can cause any number of refusals.
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

/// The limit on logged refusals: one a minute, however many there are.
final class RefusalLog: Sendable {
  private static let milliseconds: Int64 = 60_000

  private let last = Mutex<Int64?>(nil)

  /// Returns whether to log a refusal now.
  func isNew(_ now: Int64 = SystemClock.boot.milliseconds) -> Bool {
    last.withLock { last in
      guard last.map({ now - $0 >= Self.milliseconds }) ?? true else { return false }
      last = now
      return true
    }
  }
}

/// The account whose program has opened a loopback connection, according to the kernel.
///
/// Every account of a machine can connect to its loopback addresses. The kernel names the owner of
/// the other end. So only the own account is let in, whatever link or cookie another account has.
///
/// Spec: Protocol/15-pages.md §1.
struct ConnectionOwner: Sendable {
  struct End: Hashable, Sendable {
    var address: IPAddress
    var port: UInt16

    fileprivate var pair: (address: IPAddress, port: UInt16) { (address, port) }

    /// The same end as an IPv6 socket shows it.
    var mapped: End? {
      IPAddress([UInt8](repeating: 0, count: 10) + [0xFF, 0xFF] + address.bytes).map { End(address: $0, port: port) }
    }
  }

  /// Returns the number of the account that owns the client's end of a connection to this process;
  /// `nil` if it is not known.
  static func account(client: End, server: End) -> UInt32? {
    switch TCPSocketOwner.ask(client.pair, server.pair) {
    case .connected(let account): return account
    case .otherwise: return nil
    case .none:
      // The socket of this process exists, even if the other one is gone. So a program that closes
      // its socket at once cannot make this process read the whole table.
      guard TCPSocketOwner.ask(server.pair, client.pair) == .none else { return nil }
      return tabled(client: client, server: server)
    }
  }

  /// Returns the same from the table of all sockets, for a kernel that cannot look up a single
  /// socket.
  static func tabled(client: End, server: End) -> UInt32? {
    let path = client.address.isV4 ? "/proc/net/tcp" : "/proc/net/tcp6"
    if let account = ProcFile.read(path, most: mostBytes).flatMap({ account(client: client, server: server, in: $0) }) {
      return account
    }
    // A program may reach an IPv4 address with an IPv6 socket.
    guard client.address.isV4, let mapped = client.mapped, let other = server.mapped else { return nil }
    return ProcFile.read("/proc/net/tcp6", most: mostBytes).flatMap { account(client: mapped, server: other, in: $0) }
  }

  private static let mostBytes = 8 << 20

  /// Returns the number of the account in the row of `/proc/net/tcp` or `/proc/net/tcp6` whose own
  /// end is the client's; `nil` if there is no such row.
  ///
  /// Only an established socket counts. For a socket that its program has closed, the kernel shows
  /// the number 0, so that any account's connection would look like root's.
  static func account(client: End, server: End, in table: [UInt8]) -> UInt32? {
    guard let own = field(client), let other = field(server) else { return nil }
    for line in table.split(separator: UInt8(ascii: "\n")).dropFirst() {
      let fields = line.split(separator: UInt8(ascii: " "), maxSplits: 8)
      guard fields.count == 9, fields[1].elementsEqual(own), fields[2].elementsEqual(other) else { continue }
      guard fields[3].elementsEqual("01".utf8) else { return nil }
      return UInt32(String(decoding: fields[7], as: UTF8.self))
    }
    return nil
  }

  /// Returns an end as the kernel writes it: the address as 32-bit words in this machine's byte
  /// order, and the port.
  private static func field(_ end: End) -> [UInt8]? {
    var text: [UInt8] = []
    for start in stride(from: 0, to: end.address.bytes.count, by: 4) {
      let word = end.address.bytes[start..<start + 4]
      for byte in UInt32(1).littleEndian == 1 ? Array(word.reversed()) : Array(word) { text += hexadecimal(byte) }
    }
    return text + [UInt8(ascii: ":")] + hexadecimal(UInt8(end.port >> 8)) + hexadecimal(UInt8(end.port & 0xFF))
  }

  private static func hexadecimal(_ byte: UInt8) -> [UInt8] {
    let digits = [UInt8]("0123456789ABCDEF".utf8)
    return [digits[Int(byte >> 4)], digits[Int(byte & 15)]]
  }
}
