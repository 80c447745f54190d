import Foundation
import Glibc
import LatchkeyCommands
import LatchkeyModel
import LatchkeyNode
import Synchronization
import Testing

extension ProcessTests {
  /// Faults planted in a namespace, and what `latchkey doctor` says of them there.
  @Suite struct DoctorTests {
    /// The findings of a machine without a planted fault, by how it is examined: each examination
    /// waits for seconds.
    private static let usual = Mutex<[String: Set<String>]>([:])

    /// Creates a fault, and returns the findings that it adds.
    private func found(
      hasDisk: Bool = false, asRoot: Bool = false, options: [String] = NodeProcess.quiet,
      _ plant: (PlantedNetwork, NodeProcess) async throws -> Void
    ) async throws -> (ids: [String], new: [String], findings: [Finding], status: Int32)? {
      try await ProcessLab.run { lab in
        guard let network = try await PlantedNetwork.make(lab, hasDisk: hasDisk) else { return nil }
        let node = try await network.node(.parent, "Kitchen laptop", onDisk: hasDisk)
        try await node.start(options)
        let way = "\(hasDisk) \(asRoot) \(options)"
        var before = Self.usual.withLock { $0[way] }
        if before == nil { before = Set(try await network.examine(node, asRoot: asRoot).findings.map(\.id)) }
        Self.usual.withLock { $0[way] = before }
        try await plant(network, node)
        let (findings, status) = try await network.examine(node, asRoot: asRoot)
        return (findings.map(\.id), findings.map(\.id).filter { before?.contains($0) != true }, findings, status)
      }
    }

    @Test(
      "A machine without faults has no findings except those that need root and missing services"
    )
    func sound() async throws {
      guard let found = try await found({ _, _ in }) else { return }
      #expect(found.findings.contains { $0.id == "firewall-unread" && $0.severity == .unchecked }, "\(found.findings)")
      #expect(found.status == 0, "\(found.findings)")
      #expect(
        found.findings.allSatisfy { $0.severity == .information || $0.severity == .unchecked }, "\(found.findings)")
      #expect(
        Set(found.ids).isSuperset(of: ["interfaces", "multicast-heard", "avahi-absent", "dbus-absent", "disk-rate"]))
    }

    @Test("A node that is not running is the first finding, and all other checks run")
    func stopped() async throws {
      guard let found = try await found({ _, node in await node.kill() }) else { return }
      #expect(found.status == 2)
      #expect(found.ids.first == "node-not-running" && found.ids.contains("multicast-heard"))
    }

    @Test("A machine whose loopback interface is down is examined like any other")
    func noLoopback() async throws {
      guard let found = try await found({ network, _ in try await network.run("ip link set lo down") }) else { return }
      #expect(found.ids.contains("interfaces") && found.status == 0, "\(found.findings)")
    }

    @Test("A firewall that drops the port and mDNS")
    func firewall() async throws {
      let found = try await found(asRoot: true) { network, _ in
        try await network.run(
          """
          nft 'add table inet strict; add chain inet strict in { type filter hook input priority 0; policy drop; };
          add rule inet strict in iifname "lo" accept; add rule inet strict in ct state established accept'
          """)
      }
      guard let found else { return }
      #expect(found.status == 2)
      #expect(Set(found.new) == ["firewall-port", "firewall-mdns", "multicast-unheard"], "\(found.findings)")
    }

    @Test("Two programs that speak mDNS")
    func responders() async throws {
      let found = try await found(options: []) { network, node in
        try await eventually("the node speaks mDNS itself") {
          try await node.api.ask(Endpoints.getStatus).discovery == "embedded"
        }
        try await network.leave([
          "python3", "-c",
          """
          import socket, time
          s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
          s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1); s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
          s.bind(("", 5353)); print("bound", flush=True); time.sleep(600)
          """,
        ])
      }
      guard let found else { return }
      #expect(found.new == ["several-responders"], "\(found.findings)")
      #expect(found.status == 1)
      #expect(found.findings.first?.sentence.contains("latchkey") == true)
    }

    @Test("A dead D-Bus whose socket remains")
    func deadBus() async throws {
      let found = try await found { network, _ in
        try await network.run(
          "mkdir -p /run/dbus; python3 -c 'import socket; socket.socket(socket.AF_UNIX).bind(\"/run/dbus/system_bus_socket\")'"
        )
      }
      guard let found else { return }
      #expect(found.new == ["dbus-silent"], "\(found.findings)")
    }

    @Test("A D-Bus that accepts connections and does not answer")
    func hungBus() async throws {
      let found = try await found { network, _ in
        try await network.run("mkdir -p /run/dbus")
        try await network.leave([
          "python3", "-c",
          """
          import socket, time
          s = socket.socket(socket.AF_UNIX); s.bind("/run/dbus/system_bus_socket"); s.listen()
          print("bound", flush=True); time.sleep(600)
          """,
        ])
      }
      guard let found else { return }
      #expect(found.new == ["dbus-silent"], "\(found.findings)")
      #expect(found.findings.first?.sentence.contains("hangs") == true)
    }

    @Test("An avahi-daemon that hangs")
    func hungDaemon() async throws {
      let found = try await found { network, node in
        let daemon = try await network.startAvahi()
        let before = try await network.examine(node).findings.map(\.id)
        #expect(Set(before).isDisjoint(with: ["avahi-absent", "avahi-silent"]), "\(before)")
        daemon.signal(SIGSTOP)
      }
      guard let found else { return }
      #expect(found.new.contains("avahi-silent"), "\(found.findings)")
      #expect(found.findings.first { $0.id == "avahi-silent" }?.sentence.contains("hangs") == true)
      #expect(found.status == 1)
    }

    @Test("A full disk")
    func fullDisk() async throws {
      let found = try await found(hasDisk: true) { network, _ in
        try await network.run("head -c 16m /dev/zero > \(network.disk)/filler || true")
      }
      guard let found else { return }
      #expect(found.new.contains("disk-full"), "\(found.findings)")
      #expect(found.status == 2)
    }

    @Test("A state folder that other users may access")
    func rights() async throws {
      guard let found = try await found({ _, node in chmod(node.folder, 0o755) }) else { return }
      // The node of a folder that others may change is not asked.
      #expect(Set(found.new) == ["node-not-running", "folder-open"], "\(found.findings)")
      #expect(found.status == 2)
    }

    @Test("A state folder on a read-only disk")
    func readOnlyDisk() async throws {
      let found = try await found(hasDisk: true) { network, node in
        await node.kill()
        try await network.run("mount -t tmpfs -o remount,ro none \(network.disk)")
      }
      guard let found else { return }
      #expect(found.new.contains("disk-read-only"), "\(found.findings)")
      #expect(found.status == 2)
    }

    @Test("A node with chosen interfaces is checked only on those")
    func chosenInterfaces() async throws {
      try await ProcessLab.run { lab in
        guard let network = try await PlantedNetwork.make(lab) else { return }
        let node = try await network.node(.parent, "Kitchen laptop", interfaces: "lo")
        try await node.start()
        let (findings, _) = try await network.examine(node, asRoot: true)
        let used = findings.first { $0.id == "interfaces" }
        #expect(used?.sentence.contains("lo (") == true && used?.sentence.contains("lan0") == false, "\(findings)")
        #expect(findings.contains { $0.id == "interface-left-out" && $0.sentence.contains("lan0") }, "\(findings)")
        // A rule for the other interface does not concern this node.
        try await network.run(
          "nft 'add table inet far; add chain inet far in { type filter hook input priority 0; };"
            + " add rule inet far in iifname \"lan0\" drop'")
        let after = try await network.examine(node, asRoot: true)
        #expect(!after.findings.contains { $0.id.hasPrefix("firewall-") && $0.severity == .fault }, "\(after.findings)")
      }
    }

    @Test("A default route through a VPN")
    func tunnel() async throws {
      let found = try await found { network, _ in
        try await network.run(
          """
          ip link add wg0 type veth peer name wgend; ip link set wgend addrgenmode none up
          ip address add 10.66.0.2/24 dev wg0; ip link set wg0 up; ip route add default dev wg0
          """)
      }
      guard let found else { return }
      #expect(found.new.contains("vpn-default-route"), "\(found.findings)")
      #expect(found.status == 1)
    }

    @Test("A kill switch without its VPN")
    func killSwitch() async throws {
      let found = try await found(asRoot: true) { network, _ in
        try await network.run(
          """
          nft 'add table inet vpn; add chain inet vpn out { type filter hook output priority 0; };
          add rule inet vpn out oifname "lo" accept; add rule inet vpn out oifname != "wg0" drop'
          """)
      }
      guard let found else { return }
      #expect(found.new.contains("vpn-kill-switch"), "\(found.findings)")
    }

    @Test("A machine whose ID has changed")
    func machineID() async throws {
      try await ProcessLab.run { lab in
        guard let network = try await PlantedNetwork.make(lab) else { return }
        let (one, other) = (lab.newPath(), lab.newPath())
        try Data("11111111111111111111111111111111\n".utf8).write(to: URL(fileURLWithPath: one))
        try Data("22222222222222222222222222222222\n".utf8).write(to: URL(fileURLWithPath: other))
        let node = try await network.node(.parent, "Kitchen laptop", variables: ["LATCHKEY_MACHINE_ID_FILE": one])
        #expect(try await !network.examine(node).findings.contains { $0.id == "other-machine" })
        await node.use(["LATCHKEY_MACHINE_ID_FILE": other], launcher: network.launcher)
        #expect(try await network.examine(node).findings.contains { $0.id == "other-machine" })
      }
    }

    @Test("An absent peer, with its last contact, and a peer that is announced but not reachable")
    func peers() async throws {
      try await ProcessLab.run { lab in
        guard let network = try await PlantedNetwork.make(lab) else { return }
        let parent = try await network.node(.parent, "Kitchen laptop", interfaces: "lo")
        let child = try await network.node(.child, "Emma's PC", interfaces: "lo")
        try await parent.start([])
        try await child.start([])
        try await lab.pair(parent, child)
        let well = try await network.examine(child, "--on", "Kitchen laptop")
        #expect(well.findings.contains { $0.id == "peer-connected" }, "\(well.findings)")

        // Announced, and every connection dropped either way: as by a Wi-Fi that keeps its clients
        // apart.
        await child.kill()
        let port = try await parent.port()
        try await network.run(
          """
          nft 'add table inet apart; add chain inet apart in { type filter hook input priority 0; };
          add rule inet apart in iifname "lo" meta l4proto tcp drop'
          """)
        try await child.start()
        try await eventually("the parent is announced") {
          try await !child.api.ask(Endpoints.getNearby).members.isEmpty
        }
        let apart = try await network.examine(child, "--on", "Kitchen laptop")
        #expect(apart.findings.contains { $0.id == "client-isolation" }, "\(apart.findings)")
        #expect(apart.status == 2)

        await parent.kill()
        try await network.run("nft delete table inet apart")
        let gone = try await network.examine(child, "--on", "Kitchen laptop")
        #expect(gone.findings.contains { $0.id == "peer-refused" }, "\(gone.findings)")
        let since = gone.findings.first { $0.id == "peer-unreachable" }
        #expect(since?.sentence.contains("has not been in touch for") == true)
        // By IPv4 or IPv6, whichever won the race.
        let places = ["127.0.0.1:\(port)", "[::1]:\(port)"]
        let place = places.first { since?.sentence.contains("last reached at " + $0) == true }
        #expect(place != nil, "\(String(describing: since))")
        // The address in the output of `devices show`.
        let shown = try await child.latchkey(["devices", "show", "Kitchen laptop"])
        #expect(shown.output.contains(place ?? "no place") && shown.output.contains("failed"), "\(shown)")
      }
    }
  }
}
