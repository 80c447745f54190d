import LatchkeySystem
import Testing

@testable import LatchkeyBridge

@Suite("Addresses")
struct NetworkAddressTests {
  @Test(
    "Addresses of this machine, of its network and of none are not public",
    arguments: [
      "0.0.0.0", "0.1.2.3", "10.0.0.1", "10.255.255.255", "100.64.0.1", "100.127.255.255", "127.0.0.1", "127.255.0.9",
      "169.254.169.254", "172.16.0.1", "172.31.255.255", "192.0.0.1", "192.168.1.1", "198.18.0.1", "224.0.0.251",
      "255.255.255.255", "::", "::1", "::127.0.0.1", "fc00::1", "fdff:1::2", "fe80::1", "febf::1", "fec0::1",
      "ff02::fb",
      "::ffff:127.0.0.1", "::ffff:192.168.1.1", "::ffff:0.0.0.0", "64:ff9b::10.0.0.1", "64:ff9b:1::8.8.8.8",
      "2002:7f00:1::", "2002:c0a8:101::1",
      "::ffff:0:127.0.0.1", "::ffff:0:10.0.0.1",
    ])
  func special(_ text: String) throws {
    #expect(try !#require(IPAddress(text)).isPublic)
  }

  @Test(
    "Addresses of the Internet are public",
    arguments: [
      "1.1.1.1", "9.255.255.255", "11.0.0.0", "100.63.255.255", "100.128.0.0", "172.15.255.255", "172.32.0.0",
      "192.167.255.255", "192.169.0.0", "223.255.255.255", "2001:4860:4860::8888", "fbff::1", "::ffff:8.8.8.8",
      "64:ff9b::8.8.8.8", "2002:808:808::1", "::ffff:0:8.8.8.8",
    ])
  func open(_ text: String) throws {
    #expect(try #require(IPAddress(text)).isPublic)
  }

  @Test("Text that is no address is refused, and an address has its usual form")
  func text() throws {
    for text in ["", "127.1", "0x7f.0.0.1", "example.org", "::1%lo", "[::1]", "1.2.3.4.5"] {
      #expect(IPAddress(text) == nil, "\(text)")
    }
    #expect(try #require(IPAddress("FE80:0:0::1")).description == "fe80::1")
    #expect(IPAddress([UInt8]([1, 2, 3])) == nil)
  }

  @Test("What the system resolves is checked, also other ways to write a loopback address")
  func lookup() async {
    for host in ["localhost", "127.1", "2130706433", "0x7f000001"] {
      let found = await NameLookup.addresses(of: host)
      #expect(!found.isEmpty && found.allSatisfy { !$0.isPublic && $0.staysHere }, "\(host): \(found)")
    }
  }
}
