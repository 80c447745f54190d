import LatchkeySystem
import Testing

/// Tests of the properties of an address.
@Suite struct IPAddressTests {
  @Test(arguments: ["192.168.1.5", "10.0.0.1", "169.254.3.4", "fe80::1", "2001:db8::5", "::1", "127.0.0.1"])
  func usableAddressesGoThereAndBack(text: String) throws {
    let address = try #require(IPAddress(text))
    #expect(address.description == text)
    #expect(address.isUsable)
    #expect(address.isV4 == !text.contains(":"))
  }

  @Test(arguments: [
    "0.0.0.0", "224.0.0.251", "255.255.255.255", "::", "ff02::fb", "::ffff:192.168.1.5", "::10.0.0.1",
    "64:ff9b::a00:1",
  ])
  func addressesWhereNothingCanListenAreRefused(text: String) throws {
    let address = try #require(IPAddress(text))
    #expect(!address.isUsable && !address.leadsElsewhere)
  }

  @Test func onlyWholeAddressesExist() {
    for size in 0...40 {
      #expect((IPAddress([UInt8](repeating: 1, count: size)) != nil) == (size == 4 || size == 16))
    }
    for text in ["fe80::1%eth0", "", "nas.local", "1.2.3", "1.2.3.4.5", "192.168.1.5:80", "[::1]"] {
      #expect(IPAddress(text) == nil, "\(text)")
    }
  }

  @Test(arguments: [
    ("fe80::1", true), ("febf::1", true), ("fec0::1", false), ("169.254.0.1", true), ("169.253.0.1", false),
  ])
  func linkLocalIsRecognised(text: String, isLinkLocal: Bool) throws {
    let address = try #require(IPAddress(text))
    #expect(address.isLinkLocal == isLinkLocal)
    #expect(address.needsScope == (isLinkLocal && !address.isV4))
  }

  @Test(arguments: [
    ("192.168.1.5", true), ("2001:db8::5", true), ("fd00::1", true), ("127.0.0.1", false), ("::1", false),
    ("169.254.3.4", false), ("fe80::1", false),
  ])
  func whatLeadsToAnotherMachine(text: String, leadsElsewhere: Bool) throws {
    #expect(try #require(IPAddress(text)).leadsElsewhere == leadsElsewhere)
  }

  @Test func aNodeListensAtTwoAddressesOfLoopback() {
    #expect(IPAddress("127.0.0.1")?.isLocalhost == true && IPAddress("::1")?.isLocalhost == true)
    #expect(IPAddress("127.0.0.2")?.isLocalhost == false && IPAddress("127.0.0.2")?.isLoopback == true)
  }
}
