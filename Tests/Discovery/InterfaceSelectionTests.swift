import LatchkeySystem
import Testing

@testable import LatchkeyDiscovery

struct InterfaceSelectionTests {
  @Test func withoutNamesVirtualAndTunnelInterfacesAreLeftOut() {
    let virtual = ["docker0", "br-0a1b2c", "veth12ab", "virbr0", "cni0"].enumerated().map { number, name in
      NetworkInterface.make(name, index: UInt32(10 + number), ["172.17.0.1"])
    }
    let tunnel = NetworkInterface.make("wg0", index: 20, ["10.0.0.2"], multicast: false, pointToPoint: true)
    let down = NetworkInterface.make("eth1", index: 21, ["192.168.2.1"], up: false)
    let bare = NetworkInterface.make("eth2", index: 22, [])
    let selection = InterfaceSelection(names: nil, available: [.lo, .eth0, .wlan0, tunnel, down, bare] + virtual)
    #expect(selection.interfaces == [.eth0, .wlan0])
    #expect(selection.problem == nil)
  }

  @Test func aMachineWithNothingButLoopbackUsesIt() {
    let unplugged = NetworkInterface.make("eth0", ["192.168.1.5"], up: false)
    #expect(InterfaceSelection(names: nil, available: [.lo, unplugged]).interfaces == [.lo])
  }

  @Test func loopbackIsNoSubstituteForARealNetwork() {
    let bridge = NetworkInterface.make("docker0", ["172.17.0.1"])
    let selection = InterfaceSelection(names: nil, available: [.lo, bridge])
    #expect(selection.interfaces.isEmpty)
    #expect(selection.problem?.contains("--interfaces (up: lo, docker0)") == true)
  }

  @Test func namesAreTakenAtTheirWord() {
    let bridge = NetworkInterface.make("docker0", index: 9, ["172.17.0.1"])
    let all: [NetworkInterface] = [.lo, .eth0, bridge]
    #expect(InterfaceSelection(names: ["docker0"], available: all).interfaces == [bridge])
    #expect(InterfaceSelection(names: ["lo"], available: all).interfaces == [.lo])
    let missing = InterfaceSelection(names: ["wlan7"], available: all)
    #expect(missing.interfaces.isEmpty)
    #expect(missing.problem?.contains("wlan7") == true)
    #expect(InterfaceSelection(names: [], available: all).interfaces.isEmpty)
  }

  @Test func noMoreThanSixteenAreUsed() {
    let many = (1...40).map { NetworkInterface.make("eth\($0)", index: UInt32($0), ["10.0.0.\($0)"]) }
    #expect(InterfaceSelection(names: nil, available: many).interfaces.count == 16)
  }

  @Test func onlyWhatANodeListensAtIsAnnouncedOnLoopback() throws {
    let loopback = try #require(NetworkInterface.announceable().first { $0.isLoopback })
    #expect(loopback.addresses.allSatisfy { $0.isLocalhost })
    #expect(loopback.name == "lo")
    #expect(loopback.index > 0)
  }
}
