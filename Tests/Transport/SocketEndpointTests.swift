import LatchkeyTransport
import Testing

/// Addresses as people and files write them.
@Suite struct SocketEndpointTests {
  @Test(
    "Hosts, IPv4 and IPv6 addresses are read and written alike",
    arguments: [
      ("192.168.1.5:41234", "192.168.1.5", 41_234), ("kitchen.local:1", "kitchen.local", 1),
      ("[fe80::1%2]:65535", "fe80::1%2", 65_535), ("[::1]:80", "::1", 80),
    ] as [(String, String, UInt16)])
  func reading(text: String, host: String, port: UInt16) throws {
    let endpoint = try #require(SocketEndpoint(text))
    #expect((endpoint.host, endpoint.port) == (host, port))
    #expect(endpoint.description == text)
  }

  @Test(
    "What is no address is refused",
    arguments: [
      "", ":", "host", "host:", ":80", "host:0", "host:65536", "host:-1", "host:80x", "::1:80", "[::1]", "[::1]80", "[::1:80",
      "[]:80", "a b:80", "host: 80", String(repeating: "h", count: 256) + ":80",
    ])
  func refusing(text: String) {
    #expect(SocketEndpoint(text) == nil)
  }
}
