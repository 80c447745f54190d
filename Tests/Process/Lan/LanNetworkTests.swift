import Foundation
import Glibc
import LatchkeyModel
import LatchkeyNode
import Testing

/// Tests of networks with restrictions.
@Suite(.serialized) struct LanNetworkTests {
  @Test(LanScenario.sameName.isChosen) func sameNames() async throws {
    try await LanScenario.sameName.run { lab in
      let hosts = try await lab.hosts(3)
      let parent = try await hosts[0].node(.parent, "Kitchen laptop")
      try await parent.start([])
      var children: [NodeProcess] = []
      for host in [hosts[1], hosts[2], hosts[2]] {
        let child = try await host.node(.child, "Emma's PC")
        try await child.start([])
        try await lab.processes.pair(parent, child)
        children.append(child)
      }
      for node in [parent] + children { await node.kill() }
      for host in hosts { try await host.address("10.77.1.\(host.number)/16") }
      for node in children + [parent] { try await node.start() }
      try await lab.time("all connected") {
        try await parent.api.ask(Endpoints.getDevices).filter(\.isConnected).count == children.count
      }
    }
  }

  @Test(LanScenario.daemon.isChosen) func daemonComesAndGoes() async throws {
    try await LanScenario.daemon.run { lab in
      let hosts = [
        try await lab.host("10.77.0.1/16", hasDaemon: false), try await lab.host("10.77.0.2/16", hasDaemon: false),
      ]
      let (parent, _) = try await lab.family(hosts)
      func move(_ what: String, _ number: Int, finder: String) async throws {
        try await lab.time("\(what): \(finder) in use") {
          try await parent.api.ask(Endpoints.getStatus).discovery == finder
        }
        try await hosts[1].address("10.77.\(number).2/16")
        try await lab.deliver("\(what): delivered after a move", from: parent, to: "Child 1")
      }
      try await move("absent", 1, finder: "embedded")
      try await hosts[0].startDaemon()
      try await move("appeared", 2, finder: "avahi-daemon")
      try await hosts[0].endDaemon()
      try await hosts[0].startDaemon()
      try await move("restarted", 3, finder: "avahi-daemon")
      try await hosts[0].endDaemon(SIGKILL)
      try await move("killed", 4, finder: "embedded")
    }
  }

  @Test(LanScenario.blocked.isChosen) func blockedMulticast() async throws {
    try await LanScenario.blocked.run { lab in
      try await lab.blockMulticast()
      let hosts = try await lab.hosts(2)
      // The code holds an address.
      let (parent, children) = try await lab.family(hosts)
      for node in [parent] + children { await node.kill() }
      for node in children + [parent] { try await node.start() }
      try await lab.time("connected without multicast") { try await parent.isConnected() }
      try await hosts[0].address("10.77.1.1/16")
      try await lab.deliver("after the parent moved without multicast", from: parent, to: "Child 1")
      // Client isolation, as access points of guests' networks have it.
      for host in hosts { try await lab.onWire("bridge link set dev p\(host.number) isolated on") }
      for node in [parent] + children { await node.kill() }
      for node in children + [parent] { try await node.start() }
      try await lab.time("the reason is told", seconds: 100) {
        guard let peer = try await children[0].api.ask(Endpoints.getDevices).first else { return false }
        guard !peer.isConnected else { throw LabFault("connected through isolated ports") }
        return peer.lastError?.contains("cannot be reached") == true
      }
      // Real time must pass, because failing calls lengthen the pauses between them, and nothing
      // announces afterwards that the way is free.
      try await Task.sleep(for: .seconds(10))
      for host in hosts { try await lab.onWire("bridge link set dev p\(host.number) isolated off") }
      try await lab.time("connected after the isolation was lifted") { try await parent.isConnected() }
    }
  }

  @Test(LanScenario.routed.isChosen) func routedSubnets() async throws {
    try await LanScenario.routed.run { lab in
      try await lab.addBridge("far")
      try await lab.onWire(
        """
        ip address add 10.77.255.254/16 dev \(LanLab.bridge)
        ip address add 10.78.255.254/16 dev far
        echo 1 > /proc/sys/net/ipv4/ip_forward
        """)
      let near = try await lab.host("10.77.0.1/16")
      let far = try await lab.host("10.78.0.1/16", on: "far")
      try await near.shell("ip route replace default via 10.77.255.254")
      try await far.shell("ip route replace default via 10.78.255.254")
      let (parent, children) = try await lab.family([near, far])
      for node in [parent] + children { await node.kill() }
      for node in children + [parent] { try await node.start() }
      try await lab.time("connected through the router") { try await parent.isConnected() }
      try await near.address("10.77.1.1/16")
      try await near.shell("ip route replace default via 10.77.255.254")
      try await lab.deliver("after the parent moved", from: parent, to: "Child 1")
      try await far.address("10.78.1.1/16")
      try await far.shell("ip route replace default via 10.78.255.254")
      try await lab.deliver("after the child moved", from: parent, to: "Child 1")
    }
  }

  @Test(LanScenario.docker.isChosen) func sameDockerAddress() async throws {
    try await LanScenario.docker.run { lab in
      let hosts = try await lab.hosts(2)
      for host in hosts {
        try await host.shell(
          "ip link add docker0 type bridge; ip address add 172.17.0.1/16 dev docker0; ip link set docker0 up")
      }
      let (parent, children) = try await lab.family(hosts)
      for node in [parent] + children { await node.kill() }
      for host in hosts { try await host.address("10.77.1.\(host.number)/16") }
      for node in children + [parent] { try await node.start() }
      try await lab.time("connected") { try await parent.isConnected() }
      for node in [parent] + children {
        try lab.check(!node.log.contains("172.17.0.1"), "\(node.name) had to do with its docker0")
        try lab.check(!node.log.contains("own key"), "\(node.name) called itself")
      }
      var seen = ""
      try await eventually("both are announced") {
        seen = try await hosts[1].run("avahi-browse --resolve --parsable --terminate --no-db-lookup _latchkey._tcp")
        return seen.contains(";10.77.1.1;") && seen.contains(";10.77.1.2;")
      }
      try lab.check(!seen.contains(";172.17.0.1;"), "announced at \(seen)")
    }
  }

  @Test(LanScenario.six.isChosen) func linkLocalAlone() async throws {
    try await LanScenario.six.run { lab in
      let hosts = [try await lab.host(nil), try await lab.host(nil)]
      for host in hosts {
        try await host.shell(
          "until ip -6 address show dev eth0 | grep 'scope link' | grep -qv tentative; do sleep 0.1; done")
      }
      let (parent, children) = try await lab.family(hosts)
      try await lab.deliver("a message", from: parent, to: "Child 1")
      for node in [parent] + children { await node.kill() }
      for node in children + [parent] { try await node.start() }
      try await lab.time("connected again") { try await parent.isConnected() }
    }
  }

  @Test(LanScenario.spoofer.isChosen) func spoofedHints() async throws {
    try await LanScenario.spoofer.run { lab in
      let hosts = try await lab.hosts(3)
      let spoofed = try await hosts[2].probe("spoof eth0", "spoofing")
      let (parent, children) = try await lab.family(Array(hosts.prefix(2)))
      for node in [parent] + children { await node.kill() }
      for host in hosts.prefix(2) { try await host.address("10.77.1.\(host.number)/16") }
      for node in children + [parent] { try await node.start() }
      try await lab.time("connected") { try await parent.isConnected() }
      try await eventually("what they announce is repeated") {
        ProcessLab.read(spoofed).split(separator: "\n").filter { $0.hasPrefix("repeated") }.count >= 2
      }
      try await hosts[0].address("10.77.2.1/16")
      try await lab.deliver("after a move", from: parent, to: "Child 1")
    }
  }
}
