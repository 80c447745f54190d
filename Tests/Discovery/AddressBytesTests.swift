import Testing

@testable import LatchkeyDiscovery

struct AddressBytesTests {
  @Test(arguments: ["192.168.1.5", "10.0.0.1", "169.254.3.4", "fe80::1", "2001:db8::5", "::1", "127.0.0.1"])
  func usableAddressesGoThereAndBack(text: String) throws {
    let address = try #require(AddressBytes.parse(text))
    #expect(address.text == text)
    #expect(address.isUsable)
  }

  @Test(arguments: ["0.0.0.0", "224.0.0.251", "255.255.255.255", "::", "ff02::fb", "::ffff:192.168.1.5", "::10.0.0.1"])
  func addressesWhereNobodyCanListenAreRefused(text: String) throws {
    let address = try #require(AddressBytes.parse(text))
    #expect(!address.isUsable)
  }

  @Test func onlyWholeAddressesExist() {
    for size in 0...40 {
      #expect((AddressBytes([UInt8](repeating: 1, count: size)) != nil) == (size == 4 || size == 16))
    }
    #expect(AddressBytes.parse("fe80::1%eth0") == nil)
  }

  @Test func linkLocalIsTold() throws {
    #expect(AddressBytes.parse("fe80::1")?.isLinkLocalV6 == true)
    #expect(AddressBytes.parse("febf::1")?.isLinkLocalV6 == true)
    #expect(AddressBytes.parse("fec0::1")?.isLinkLocalV6 == false)
    #expect(AddressBytes.parse("169.254.0.1")?.isLinkLocalV6 == false)
  }
}
