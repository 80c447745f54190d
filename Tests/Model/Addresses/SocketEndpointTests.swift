import LatchkeyModel
import Testing

@Suite struct SocketEndpointTests {
  @Test(arguments: [
    ("192.168.1.5:41234", "192.168.1.5", UInt16(41_234)), ("[fe80::1%2]:80", "fe80::1%2", 80),
    ("host.local:1", "host.local", 1), ("[::1]:65535", "::1", 65_535), ("[fe80::1%eth0]:80", "fe80::1%eth0", 80),
  ])
  func addressesAreRead(text: String, host: String, port: UInt16) throws {
    let endpoint = try #require(SocketEndpoint(text))
    #expect(endpoint.host == host && endpoint.port == port)
    #expect(endpoint.description == text)
  }

  @Test(arguments: [
    "", "host", ":1", "host:", "host:0", "host:65536", "fe80::1:80", "[fe80::1]", "[fe80::1]80", "a b:1", "host:-1",
    "host:+1",
    ":", ":80", "::1:80", "[]:80", "a[b]:80", "a\u{00A0}b:1", "host:\u{0661}",
    String(repeating: "a", count: 256) + ":1",
  ])
  func othersAreNot(text: String) {
    #expect(SocketEndpoint(text) == nil)
  }
}
