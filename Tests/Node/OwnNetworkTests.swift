import Testing

@testable import LatchkeyNode

/// Tests of the addresses of this machine that others are told.
@Suite struct OwnNetworkTests {
  private static let v4: [UInt8] = [192, 168, 1, 5]
  static let v6: [UInt8] = [0x20, 1, 0x0D, 0xB8] + [UInt8](repeating: 0, count: 11) + [5]

  @Test(arguments: [nil, ["eth0"], ["lo", "eth0"]] as [[String]?], [false, true])
  func aCodeHoldsTheFirstIPv4Address(interfaces: [String]?, allowsLoopback: Bool) {
    let network = OwnNetwork(callable: [Self.v4, [10, 0, 0, 9], Self.v6])
    #expect(network.forCode(interfaces: interfaces, allowsLoopback: allowsLoopback) == Self.v4)
  }

  @Test(arguments: [[], [v6]] as [[[UInt8]]])
  func aCodeHoldsLoopbackOnlyWhereItIsAllowedAndListenedAt(callable: [[UInt8]]) {
    let network = OwnNetwork(callable: callable)
    #expect(network.forCode(interfaces: nil, allowsLoopback: false) == nil)
    #expect(network.forCode(interfaces: ["lo"], allowsLoopback: false) == nil)
    #expect(network.forCode(interfaces: nil, allowsLoopback: true) == [127, 0, 0, 1])
    #expect(network.forCode(interfaces: ["lo"], allowsLoopback: true) == [127, 0, 0, 1])
    #expect(network.forCode(interfaces: ["eth0"], allowsLoopback: true) == nil)
  }

  @Test func noAddressOfLoopbackIsTold() throws {
    #expect(try #require(OwnNetwork.current(interfaces: ["lo"])).callable.isEmpty)
    #expect(try #require(OwnNetwork.current(interfaces: nil)).all.contains("127.0.0.1"))
  }

  @Test func whatIsToldBeginsWithIPv4() throws {
    let told = try #require(OwnNetwork.current(interfaces: nil)).callable
    #expect(told.map(\.count) == told.map(\.count).sorted())
  }
}
