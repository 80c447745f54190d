import Glibc
import LatchkeySystem
import Testing

@testable import LatchkeyWeb

@Suite("The owner of a connection")
struct ConnectionOwnerTests {
  private let table = [UInt8](
    """
      sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
       0: 0100007F:A112 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1000        0 101 1 0 100 0 0 10 0
       1: 0100007F:C350 0100007F:A112 01 00000000:00000000 00:00000000 00000000  1000        0 102 1 0 20 4 30 10 -1
       2: 0100007F:A112 0100007F:C350 01 00000000:00000000 00:00000000 00000000  1001        0 103 1 0 20 4 30 10 -1
       3: 0100007F:C351 0100007F:A112 01 00000000:00000000 00:00000000 00000000 65534        0 104 1 0 20 4 30 10 -1
       4: 0100007F:C352 0100007F:A112 06 00000000:00000000 03:00000000 00000000     0        0 0 3 0
       5: 0100007F:C353 0100007F:A113 01 00000000:00000000 00:00000000 00000000  1000        0 105 1 0 20 4 30 10 -1
       6: 0200007F:C354 0100007F:A112 01 00000000:00000000 00:00000000 00000000  1002        0 106 1 0 20 4 30 10 -1

    """.utf8)

  private func end(_ address: String, _ port: UInt16) throws -> ConnectionOwner.End {
    ConnectionOwner.End(address: try #require(IPAddress(address)), port: port)
  }

  @Test("The row of the client's end counts, not that of the server's")
  func rows() throws {
    let server = try end("127.0.0.1", 0xA112)
    let owners = try [0xC350, 0xC351, 0xC352, 0xC353, 0xC354, 0xC355].map {
      ConnectionOwner.account(client: try end("127.0.0.1", $0), server: server, in: table)
    }
    // The third is closed, the fourth connected to another server, the fifth at another address.
    #expect(owners == [1_000, 65_534, nil, nil, nil, nil])
    #expect(ConnectionOwner.account(client: try end("127.0.0.2", 0xC354), server: server, in: table) == 1_002)
  }

  @Test("An address of version 6 is found")
  func version6() throws {
    let row =
      "  0: 00000000000000000000000001000000:C350 00000000000000000000000001000000:A112 01 0:0 0:0 0  1000 0 1\n"
    let table = [UInt8]("header\n\(row)".utf8)
    let client = try end("::1", 0xC350)
    #expect(ConnectionOwner.account(client: client, server: try end("::1", 0xA112), in: table) == 1_000)
  }

  @Test("A socket of version 6 that has reached an address of version 4 is found")
  func mapped() throws {
    let row =
      "  0: 0000000000000000FFFF00000100007F:C350 0000000000000000FFFF00000100007F:A112 01 0:0 0:0 0  1000 0 1\n"
    let (client, server) = (try end("127.0.0.1", 0xC350).mapped, try end("127.0.0.1", 0xA112).mapped)
    let owner = ConnectionOwner.account(
      client: try #require(client), server: try #require(server), in: [UInt8]("header\n\(row)".utf8))
    #expect(owner == 1_000)
  }

  @Test("A table that is cut, empty or nonsense names nobody")
  func malformed() throws {
    let (client, server) = (try end("127.0.0.1", 0xC350), try end("127.0.0.1", 0xA112))
    for text in ["", "\n\n", "header\n 1: 0100007F:C350 0100007F:A112 01", "header\nx\n"] {
      #expect(ConnectionOwner.account(client: client, server: server, in: [UInt8](text.utf8)) == nil)
    }
  }

  /// Makes a connection to a listener of this process, by a socket of a version.
  private func withConnection(
    version6: Bool,
    _ body: (_ client: ConnectionOwner.End, _ server: ConnectionOwner.End, _ socket: Int32) throws -> Void
  ) throws {
    let port = try #require(LoopbackPort.free())
    let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = UInt16(port).bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    let size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isBound = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(listener, $0, size) == 0 && listen(listener, 8) == 0 }
    }
    try #require(isBound)
    defer { close(listener) }
    let client = socket(version6 ? AF_INET6 : AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var other = sockaddr_in6()
    other.sin6_family = sa_family_t(AF_INET6)
    other.sin6_port = address.sin_port
    inet_pton(AF_INET6, "::ffff:127.0.0.1", &other.sin6_addr)
    let connected =
      version6
      ? withUnsafePointer(to: &other) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          connect(client, $0, socklen_t(MemoryLayout<sockaddr_in6>.size))
        }
      }
      : withUnsafePointer(to: &address) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { connect(client, $0, size) }
      }
    try #require(connected == 0)
    var peer = sockaddr_in()
    var length = size
    let taken = withUnsafeMutablePointer(to: &peer) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { accept(listener, $0, &length) }
    }
    defer { close(taken) }
    try body(
      end("127.0.0.1", UInt16(bigEndian: peer.sin_port)), end("127.0.0.1", UInt16(port)), client)
  }

  @Test(
    "The kernel names the owner of a real connection, and of none that its program has closed",
    arguments: [false, true])
  func real(version6: Bool) throws {
    try withConnection(version6: version6) { client, server, socket in
      #expect(ConnectionOwner.account(client: client, server: server) == geteuid())
      #expect(ConnectionOwner.tabled(client: client, server: server) == geteuid())
      let asked = TCPSocketOwner.ask((client.address, client.port), (server.address, server.port))
      #expect(asked == .connected(account: geteuid()), "The kernel looks up one socket.")
      // Where there is no connection, a socket that listens is none either.
      let other = try end("127.0.0.1", 1)
      #expect(TCPSocketOwner.ask((server.address, server.port), (other.address, other.port)) == .otherwise)
      #expect(TCPSocketOwner.ask((other.address, other.port), (server.address, server.port)) == .none)
      #expect(ConnectionOwner.account(client: other, server: server) == nil)
      close(socket)
      #expect(ConnectionOwner.account(client: client, server: server) == nil)
      #expect(ConnectionOwner.tabled(client: client, server: server) == nil)
    }
  }
}
