import Glibc
import LatchkeyCommands
import LatchkeyModel
import LatchkeyNode
import Testing

/// Tests of `latchkey doctor` on broken networks whose fault only several machines show.
@Suite(.serialized) struct LanDoctorTests {
  @Test(LanScenario.doctor.isChosen) func plantedFaults() async throws {
    try await LanScenario.doctor.run { lab in
      try await lab.blockMulticast()
      let hosts = try await lab.hosts(2)
      let (parent, children) = try await lab.family(hosts)
      func expect(_ id: String, after what: String) async throws {
        let result = try await children[0].latchkey(["doctor", "--format", "json", "--on", "Kitchen laptop"])
        let findings = try result.decode(Examination.self).findings
        try lab.check(findings.contains { $0.id == id }, "\(what): no \(id) in \(findings.map(\.id))")
        try lab.check(result.status != 0, "\(what): exit status 0")
        lab.note("\(what): \(id)")
      }
      try await expect("peer-unannounced", after: "multicast blocked")
      for host in hosts { try await lab.onWire("bridge link set dev p\(host.number) isolated on") }
      for node in [parent] + children { await node.kill() }
      for node in children + [parent] { try await node.start() }
      try await expect("peer-silent", after: "clients kept apart, nothing announced")
      // Announcements get through, as of an access point that forwards multicast and nothing else.
      try await lab.onWire(
        """
        nft flush chain bridge lab out
        nft add rule bridge lab out ip protocol tcp drop
        nft add rule bridge lab out ip6 nexthdr tcp drop
        """)
      for host in hosts { try await lab.onWire("bridge link set dev p\(host.number) isolated off") }
      try await eventually("the parent is announced") {
        try await !children[0].api.ask(Endpoints.getNearby).members.isEmpty
      }
      try await expect("client-isolation", after: "clients kept apart, multicast let through")
      try await hosts[1].shell("ip -6 address flush dev eth0")
      try await hosts[1].endDaemon(SIGKILL)
      await parent.kill()
      await children[0].kill()
      try await hosts[1].address("10.78.0.2/16")
      try await children[0].start()
      try await expect("other-subnet", after: "the child in another subnet")
      await children[0].kill()
      try await expect("node-not-running", after: "the child's node stopped")
    }
  }
}
