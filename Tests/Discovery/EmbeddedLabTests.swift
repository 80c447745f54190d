import Testing

/// Tests of the embedded stack between real processes on a loopback interface of their own.
@Suite(.serialized, DiscoveryLab.isUsable)
struct EmbeddedLabTests {
  @Test func threeProcessesAndTwoInOneMeet() async throws {
    let lab = try DiscoveryLab(.nothing)
    try lab.probe("A", "embedded lo")
    try lab.probe("B", "embedded lo")
    try lab.probe("C", "embedded lo 2")
    try lab.order("A", "advertise aaaaaaaa 4001 v=1 n=one")
    try lab.order("B", "advertise bbbbbbbb 4002 v=1")
    try lab.order("C", "0 advertise cccccccc 4003 v=1")
    try lab.order("C", "1 advertise dddddddd 4004 v=1")
    for name in ["A", "B", "C"] {
      let own = name == "C" ? ["0 ", "1 "] : [""]
      for prefix in own {
        // Services are reported in the order in which they come, so each is looked for among all
        // lines.
        for service in ["aaaaaaaa 4001", "bbbbbbbb 4002", "cccccccc 4003", "dddddddd 4004"] {
          try await lab.expectAmongAll(name, "\(prefix)found \(service) 127.0.0.1,::1 ")
        }
      }
    }
    #expect(lab.all("B").contains("found aaaaaaaa 4001 127.0.0.1,::1 n=one,v=1"))
  }

  @Test func theVersionComesFirstOnTheWire() async throws {
    let lab = try DiscoveryLab(.nothing)
    try lab.probe("P", "capture lo")
    try await lab.expect("P", "capturing")
    try lab.probe("A", "embedded lo")
    try lab.order("A", "advertise aaaaaaaa 4001 d=7 v=1 n=one h=two")
    try await lab.expect("P", "mdns ", containing: [".v=1.d=7.h=two.n=one"])
    try lab.order("A", "advertise aaaaaaaa 4001 d=8 v=1 n=one h=two")
    try await lab.expect("P", "mdns ", containing: [".v=1.d=8.h=two.n=one"])
  }

  @Test func changesAndGoodbyesArrive() async throws {
    let lab = try DiscoveryLab(.nothing)
    try lab.probe("A", "embedded lo")
    try lab.probe("B", "embedded lo")
    try lab.order("A", "advertise aaaaaaaa 4001 v=1 d=7")
    try await lab.expect("B", "found aaaaaaaa 4001 127.0.0.1,::1 d=7,v=1")
    try lab.order("A", "advertise aaaaaaaa 4001 v=1")
    let (_, passed) = try await lab.expect("B", "found aaaaaaaa 4001 127.0.0.1,::1 v=1")
    #expect(!passed.contains { $0.hasPrefix("lost") }, "a change of the pairs alone withdraws nothing")
    try lab.order("A", "advertise aaaaaaaa 4009 v=1")
    try await lab.expect("B", "found aaaaaaaa 4009 127.0.0.1,::1 v=1")
    try lab.order("A", "advertise eeeeeeee 4001 v=1")
    try await lab.expectAmongAll("B", "lost aaaaaaaa")
    try await lab.expectAmongAll("B", "found eeeeeeee 4001")
    try lab.order("A", "withdraw")
    try await lab.expectAmongAll("B", "lost eeeeeeee")
    try lab.order("A", "advertise ffffffff 4001 v=1")
    try await lab.expectAmongAll("B", "found ffffffff 4001")
    try lab.order("A", "quit")
    try await lab.expect("A", "stopped")
    try await lab.expectAmongAll("B", "lost ffffffff")
    #expect(!lab.all("A").contains { $0.hasPrefix("renamed") }, "its own echo is no other host")
  }

  @Test func addressChangesAreFollowed() async throws {
    let lab = try DiscoveryLab(.nothing)
    try await lab.run(Self.twoHosts)
    try lab.probe("A", "embedded eth0")
    try lab.probe("B", "embedded eth0", under: "ip netns exec b")
    try lab.order("A", "advertise aaaaaaaa 4001 v=1")
    try await lab.expect("B", "found aaaaaaaa 4001 10.9.9.1,fe80::")
    try lab.shell("ip address add 10.9.9.7/24 dev eth0")
    try await lab.expect("B", "found aaaaaaaa 4001 10.9.9.1,10.9.9.7,fe80::")
    try lab.shell("ip address del 10.9.9.7/24 dev eth0")
    try await lab.expect("B", "found aaaaaaaa 4001 10.9.9.1,fe80::")
    #expect(!lab.all("B").contains("lost aaaaaaaa"))
  }

  /// A node that is told to use `lo` listens at two addresses there, and no others of the interface
  /// lead to it.
  @Test func otherAddressesOfLoopbackAreNotAnnounced() async throws {
    let lab = try DiscoveryLab(.nothing)
    try await lab.run("ip address add 10.8.8.8/32 dev lo; ip address add 127.0.0.77/8 dev lo")
    try lab.probe("A", "embedded lo")
    try lab.probe("B", "embedded lo")
    try lab.order("A", "advertise aaaaaaaa 4001 v=1")
    try await lab.expect("B", "found aaaaaaaa 4001 127.0.0.1,::1 ")
    try lab.order("A", "advertise aaaaaaaa 4001 v=1 n=two")
    try await lab.expect("B", "found aaaaaaaa 4001 127.0.0.1,::1 n=two")
    #expect(!lab.all("B").contains { $0.contains("10.8.8.8") || $0.contains("127.0.0.77") })
  }

  @Test func aNetworkThatComesAndGoesIsFollowed() async throws {
    let lab = try DiscoveryLab(.nothing)
    try await lab.run(Self.twoHosts)
    try lab.probe("A", "embedded")
    try lab.order("A", "advertise aaaaaaaa 4001 v=1")
    try await lab.expect("A", "found aaaaaaaa 4001 10.9.9.1,fe80::")
    try lab.probe("B", "embedded eth0", under: "ip netns exec b")
    try lab.order("B", "advertise bbbbbbbb 4002 v=1")
    try await lab.expect("B", "found aaaaaaaa 4001 10.9.9.1,fe80::", containing: ["%eth0 "])
    try await lab.expect("A", "found bbbbbbbb 4002 10.9.9.2,fe80::", containing: ["%eth0 "])
    try lab.shell("ip link set eth0 down")
    try await lab.expect("A", "found aaaaaaaa 4001 127.0.0.1,::1 ")
    try lab.shell("ip link set eth0 up")
    try await lab.expect("A", "found aaaaaaaa 4001 10.9.9.1")
  }

  @Test func namedInterfacesAreWaitedFor() async throws {
    let lab = try DiscoveryLab(.nothing)
    try lab.probe("A", "embedded eth0")
    try lab.order("A", "advertise aaaaaaaa 4001 v=1")
    try await lab.expect(
      "A", "state failed None of the interfaces eth0 is up with an address; ", containing: ["(up: lo)"])
    try await lab.run(Self.twoHosts)
    try await lab.expect("A", "state running embedded")
    try await lab.expect("A", "found aaaaaaaa 4001 10.9.9.1")
  }

  @Test func twoHostsThatClaimOneNamePart() async throws {
    let lab = try DiscoveryLab(.nothing)
    try await lab.run(Self.twoHosts)
    try lab.probe("A", "embedded eth0")
    try lab.order("A", "advertise samename 4001 v=1")
    try await lab.expect("A", "found samename 4001")
    try lab.probe("B", "embedded eth0", under: "ip netns exec b")
    try lab.order("B", "advertise samename 4002 v=1")
    // Which of the two gives way is for mDNS to decide.
    let (line, _) = try await lab.expect("*", "renamed samename ")
    let name = line.split(separator: " ")[2]
    #expect(name.count == 8)
    let (renamed, stayed) = lab.all("A").contains(line) ? ("A", "B") : ("B", "A")
    let ports = renamed == "A" ? (renamed: 4001, stayed: 4002) : (renamed: 4002, stayed: 4001)
    try await lab.expectAmongAll(stayed, "found \(name) \(ports.renamed) 10.9.9.")
    try await lab.expectAmongAll(renamed, "found samename \(ports.stayed) 10.9.9.")
  }

  @Test func nothingLeavesLoopback() async throws {
    let lab = try DiscoveryLab(.nothing)
    try await lab.run(Self.twoHosts)
    try lab.probe("P", "capture eth0", under: "ip netns exec b")
    try await lab.expect("P", "capturing")
    try lab.probe("A", "auto lo")
    try lab.probe("B", "embedded lo")
    try lab.order("A", "advertise aaaaaaaa 4001 v=1")
    try lab.order("B", "advertise bbbbbbbb 4002 v=1")
    try await lab.expect("A", "found bbbbbbbb 4002 127.0.0.1,::1 ")
    try lab.shell("ip address add 10.9.9.3/24 dev eth0")
    try await lab.expect("A", "network changed")
    try lab.order("B", "advertise bbbbbbbb 4002 v=1 n=two")
    try await lab.expect("A", "found bbbbbbbb 4002 127.0.0.1,::1 n=two")
    try lab.order("A", "quit")
    try await lab.expect("A", "stopped")
    try await lab.expect("B", "lost aaaaaaaa")
    #expect(lab.all("P") == ["capturing"])
    // Not even a group is joined there.
    let groups = "ip maddress show dev eth0 | grep -c -e 224.0.0.251 -e ff02::fb"
    #expect(try await lab.run(groups) == ["0"])
    // The same capture does see what is meant for that interface, and a stranger's questions there
    // get no answer.
    try lab.probe("D", "embedded eth0", under: "ip netns exec b")
    try lab.order("D", "advertise dddddddd 4004 v=1")
    try lab.probe("C", "embedded eth0")
    try lab.order("C", "advertise cccccccc 4003 v=1")
    try await lab.expect("D", "found cccccccc 4003 ")
    try await lab.expect("P", "mdns ", containing: ["cccccccc"])
    #expect(try await lab.run(groups) == ["2"])
    #expect(!lab.all("P").contains { $0.contains("aaaaaaaa") || $0.contains("bbbbbbbb") })
    #expect(!lab.all("D").contains { $0.contains("bbbbbbbb") })
  }

  @Test func everythingIsFreed() async throws {
    let lab = try DiscoveryLab(.nothing)
    try lab.probe("A", "churn embedded lo")
    let (early, _) = try await lab.expect("A", "descriptors ")
    let (late, _) = try await lab.expect("A", "descriptors ")
    #expect(early == late)
  }

  /// A second host `b`, joined to this one by a cable.
  static let twoHosts = """
    ip netns add b
    ip link add eth0 type veth peer name eth0 netns b
    ip -n b link set lo up
    ip -n b address add 10.9.9.2/24 dev eth0
    ip -n b link set eth0 up
    ip address add 10.9.9.1/24 dev eth0
    ip link set eth0 up
    """
}
