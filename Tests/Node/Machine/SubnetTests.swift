import LatchkeySystem
import Testing

/// Addresses and the networks that they lie in.
@Suite struct SubnetTests {
  @Test(
    arguments: [
      ("192.168.1.5", 24, "192.168.1.200", true), ("192.168.1.5", 24, "192.168.2.5", false),
      ("10.1.2.3", 12, "10.15.255.255", true), ("10.1.2.3", 12, "10.16.0.0", false),
      ("fe80::1", 64, "fe80::2", true), ("10.0.0.1", -8, "8.8.8.8", true),
      ("fd00:1::1", 64, "fd00:2::1", false), ("10.0.0.1", 0, "8.8.8.8", true), ("10.0.0.1", 8, "::a00:1", false),
      ("10.0.0.1", 40, "10.0.0.1", true),
    ])
  func aNetworkHoldsItsAddresses(own: String, prefix: Int, other: String, isInside: Bool) throws {
    let network = Subnet(try #require(IPAddress(own)), prefix: prefix)
    #expect(network.contains(try #require(IPAddress(other))) == isInside)
  }

  @Test func aNetworkIsShownWithoutItsHosts() throws {
    #expect(Subnet(try #require(IPAddress("192.168.1.77")), prefix: 24).description == "192.168.1.0/24")
    #expect(Subnet(try #require(IPAddress("fd00:1::77")), prefix: 64).description == "fd00:1::/64")
  }
}
