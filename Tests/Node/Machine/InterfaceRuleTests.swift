import LatchkeySystem
import Testing

@testable import LatchkeyNode

/// Which interfaces are used, and why the others are not.
@Suite struct InterfaceRuleTests {
  private static func interface(_ name: String, _ change: (inout NetworkInterface) -> Void = { _ in }) throws
    -> NetworkInterface
  {
    let address = try #require(IPAddress("192.168.1.5"))
    var interface = NetworkInterface(index: 2, name: name, subnets: [Subnet(address, prefix: 24)])
    change(&interface)
    return interface
  }

  @Test func theRuleLeavesOutWhatIsNoNetworkOfTheFamilys() throws {
    #expect(try Self.interface("eth0").exclusion(names: nil) == nil)
    for name in ["docker0", "br-0a1b2c", "veth12ab", "virbr0", "cni0"] {
      #expect(try Self.interface(name).exclusion(names: nil) == .virtual)
    }
    #expect(try Self.interface("lo") { $0.isLoopback = true }.exclusion(names: nil) == .loopback)
    #expect(try Self.interface("eth0") { $0.isUp = false }.exclusion(names: nil) == .off)
    #expect(try Self.interface("ppp0") { $0.isPointToPoint = true }.exclusion(names: nil) == .pointToPoint)
    #expect(try Self.interface("dummy0") { $0.isMulticast = false }.exclusion(names: nil) == .noMulticast)
    #expect(try Self.interface("eth0") { $0.subnets = [] }.exclusion(names: nil) == .noAddress)
  }

  @Test func aNamedInterfaceIsUsedWhateverItIs() throws {
    for change: (inout NetworkInterface) -> Void in [
      { $0.isLoopback = true }, { $0.isPointToPoint = true }, { $0.isMulticast = false }, { $0.name = "docker0" },
    ] {
      let interface = try Self.interface("x", change)
      #expect(interface.exclusion(names: ["other", interface.name]) == nil)
      #expect(interface.exclusion(names: ["other"]) == .notNamed)
    }
    #expect(try Self.interface("x") { $0.isUp = false }.exclusion(names: ["x"]) == .off)
    #expect(try Self.interface("x") { $0.subnets = [] }.exclusion(names: ["x"]) == .noAddress)
    #expect(try Self.interface("x").exclusion(names: []) == .notNamed)
  }

  @Test func othersAreToldOfTunnelsAndNotOfLoopback() throws {
    #expect(try Self.interface("ppp0") { $0.isPointToPoint = true }.isOffered(names: nil))
    #expect(try !Self.interface("docker0").isOffered(names: nil))
    #expect(try Self.interface("docker0").isOffered(names: ["docker0"]))
    #expect(try !Self.interface("eth0").isOffered(names: ["docker0"]))
    #expect(try !Self.interface("eth0") { $0.isUp = false }.isOffered(names: nil))
    #expect(try !Self.interface("lo") { $0.isLoopback = true }.isOffered(names: ["lo"]))
  }

  @Test func aNodeTellsWhatItsInterfacesOffer() throws {
    let wired = try Self.interface("eth0") { interface in
      let more = ["fe80::5", "2001:db8::5"].compactMap { IPAddress($0) }.map { Subnet($0, prefix: 64) }
      interface.subnets = more + interface.subnets
    }
    let bridge = try Self.interface("docker0") {
      $0.subnets[0].address = IPAddress([172, 17, 0, 1]) ?? $0.addresses[0]
    }
    let network = OwnNetwork([wired, bridge], names: nil)
    #expect(network.all == ["fe80::5", "2001:db8::5", "192.168.1.5", "172.17.0.1"])
    #expect(network.callable.map(\.count) == [4, 16])
    #expect(network.networks.count == 3)
    #expect(OwnNetwork([wired, bridge], names: ["docker0"]).callable == [[172, 17, 0, 1]])
  }

  @Test func theMachinesOwnInterfacesAreRead() throws {
    let all = try #require(NetworkInterface.all())
    let loopback = try #require(all.first { $0.isLoopback })
    #expect(loopback.name == "lo" && loopback.index > 0)
    #expect(loopback.subnets.contains { $0.description == "127.0.0.0/8" })
    #expect(all.map(\.index) == all.map(\.index).sorted())
  }
}
