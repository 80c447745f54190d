import LatchkeyModel
import Testing

@testable import LatchkeyCommands

/// Tests of the check for two machines that do not reach each other.
@Suite struct PeerCheckTests {
  private let address = "192.168.1.9:4000"

  /// Findings on a peer that is away.
  private func ids(
    _ probes: [AddressProbe], announced: [String] = [], change: (inout PeerStatus, inout Facts) -> Void = { _, _ in }
  ) -> [String] {
    findings(probes, announced: announced, change: change).map(\.id)
  }

  private func findings(
    _ probes: [AddressProbe], announced: [String] = [], change: (inout PeerStatus, inout Facts) -> Void = { _, _ in }
  ) -> [Finding] {
    var status = Sample.status()
    status.peers[0].isConnected = false
    var facts = Sample.facts(status, announced: announced)
    change(&status.peers[0], &facts)
    facts.peer = PeerFacts(status: status.peers[0], probes: probes)
    var found: [Finding] = []
    facts.checkPeer(&found)
    return found
  }

  @Test func whoIsConnectedAndAnnouncedIsWell() {
    #expect(
      ids([], announced: [address]) { status, _ in status.isConnected = true } == ["peer-connected"])
    // Reached, and not announced: the reverse of a machine that is announced and not reached.
    #expect(ids([]) { status, _ in status.isConnected = true } == ["peer-connected", "peer-unannounced"])
  }

  @Test func whoIsAnnouncedAndNotReachedIsKeptApart() {
    let silent = [AddressProbe(address: address, outcome: .silent, interface: "eth0")]
    #expect(ids(silent, announced: [address]) == ["client-isolation", "peer-unreachable"])
    #expect(ids(silent) == ["peer-silent", "peer-unreachable"])
    let noWay = [AddressProbe(address: address, outcome: .noWay("No route to host"))]
    #expect(ids(noWay, announced: [address]) == ["client-isolation", "peer-unreachable"])
  }

  @Test func whoRefusesHasNoNodeThere() {
    let refused = [AddressProbe(address: address, outcome: .refused)]
    #expect(ids(refused, announced: [address]) == ["peer-refused", "peer-unreachable"])
  }

  @Test func whoAnswersWithoutASessionIsSomebodyElseOrHasForgotten() throws {
    let found = findings([AddressProbe(address: address, outcome: .connected)]) { status, _ in
      status.lastError = "It answered nothing."
    }
    #expect(found.map(\.id) == ["peer-no-session", "peer-unreachable"])
    #expect(found[0].sentence.contains("(It answered nothing.)"))
  }

  @Test func anotherNetwork() throws {
    let far = [AddressProbe(address: "192.168.2.9:4000", outcome: .silent, interface: "eth0")]
    let found = findings(far)
    #expect(found.map(\.id) == ["other-subnet", "peer-unreachable"])
    #expect(found[0].sentence.contains("192.168.2.9, which is in none of this machine's networks (192.168.1.0/24)"))
    // One address in this network is enough to say nothing of the kind.
    #expect(ids(far + [AddressProbe(address: address, outcome: .silent)]) == ["peer-silent", "peer-unreachable"])
  }

  @Test func aVPNOnTheWay() {
    let probes = [AddressProbe(address: address, outcome: .silent, interface: "wg0")]
    #expect(
      ids(probes) { _, facts in facts.interfaces.append(Sample.interface("wg0")) }
        == ["peer-through-vpn", "peer-unreachable"])
  }

  @Test func whoIsNowhereKnown() {
    #expect(ids([]) == ["peer-no-address", "peer-unreachable"])
  }

  @Test func sinceWhenAndWhere() throws {
    let found = findings([]) { status, _ in
      status.addresses = [
        DeviceAddress(address: "10.0.0.1:1", source: .code, lastSuccessAt: 5),
        DeviceAddress(address: "10.0.0.2:2", source: .mdns, isOfThisNetwork: false, lastSuccessAt: 9),
      ]
    }
    #expect(
      found.last?.sentence
        == "“Emma's PC” has not been in touch for 3 h; it was last reached at 10.0.0.2:2, on another network.")
    #expect(
      findings([]) { status, _ in status.marks = [.neverConnected] }.last?.id == "peer-never-connected")
  }

  @Test func quarantineAndRemovalAreNamed() {
    #expect(ids([]) { status, _ in status.marks = [.quarantined] }.first == "peer-quarantined")
    #expect(ids([]) { status, _ in status.marks = [.removalUntold] }.first == "peer-removed")
  }

  @Test func withoutANodeNothingIsSaidOfPeers() {
    var facts = Sample.facts()
    facts.peer = PeerFacts(status: Sample.status().peers[0], probes: [])
    facts.node = .absent("No node: start it.")
    var found: [Finding] = []
    facts.checkPeer(&found)
    #expect(found.isEmpty)
  }
}
