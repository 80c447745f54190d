import Testing

/// Tests with a real avahi-daemon on a real D-Bus, in a network of their own.
@Suite(.serialized, DiscoveryLab.isUsable)
struct DaemonLabTests {
  @Test func aDaemonThatServesIsUsed() async throws {
    let lab = try DiscoveryLab(.daemon)
    try lab.probe("A", "auto")
    try lab.order("A", "advertise aaaaaaaa 4001 v=1 n=one")
    try await lab.expect("A", "state running avahi-daemon")
    try lab.probe("B", "daemon lo")
    try lab.order("B", "advertise bbbbbbbb 4002 v=1")
    try await lab.expectAmongAll("B", "state running avahi-daemon")
    // It looks through the daemon while that proves itself.
    try await lab.expectAmongAll("B", "found aaaaaaaa 4001 127.0.0.1,::1 n=one,v=1")
    try await lab.expect("A", "found bbbbbbbb 4002 127.0.0.1,::1 v=1")
    try lab.order("A", "advertise aaaaaaaa 4001 v=1 n=two")
    try await lab.expect("B", "found aaaaaaaa 4001 127.0.0.1,::1 n=two,v=1")
    try lab.order("A", "quit")
    try await lab.expect("A", "stopped")
    try await lab.expect("B", "lost aaaaaaaa")
  }

  @Test func theVersionComesFirstOnTheWire() async throws {
    let lab = try DiscoveryLab(.daemon)
    try lab.probe("P", "capture lo")
    try await lab.expect("P", "capturing")
    try lab.probe("A", "daemon")
    try await lab.expect("A", "state running avahi-daemon")
    try lab.order("A", "advertise aaaaaaaa 4001 d=7 v=1 n=one h=two")
    try await lab.expect("P", "mdns ", containing: [".v=1.d=7.h=two.n=one"])
    try lab.order("A", "advertise aaaaaaaa 4001 d=8 v=1 n=one h=two")
    try await lab.expect("P", "mdns ", containing: [".v=1.d=8.h=two.n=one"])
  }

  /// Avahi keeps the entries of a record in the order opposite to the wire's, and a daemon's client
  /// turns them round.
  @Test func ofEqualKeysTheFirstOnTheWireCounts() async throws {
    let lab = try DiscoveryLab(.daemon)
    try lab.probe("P", "capture lo")
    try await lab.expect("P", "capturing")
    try lab.probe("D", "daemon")
    try lab.probe("E", "embedded lo")
    try lab.shell("with-avahi-user avahi-publish --service aaaaaaaa _latchkey._tcp 4001 v=1 n=one n=two &")
    try await lab.expect("P", "mdns ", containing: [".v=1.n=one.n=two"])
    for probe in ["D", "E"] {
      try await lab.expectAmongAll(probe, "found aaaaaaaa 4001 127.0.0.1")
      let found = lab.all(probe).filter { $0.hasPrefix("found aaaaaaaa") }
      #expect(found.allSatisfy { $0.hasSuffix(" n=one,v=1") }, "\(found)")
    }
  }

  @Test(arguments: ["auto", "embedded"])
  func theHostNameStaysSecret(kind: String) async throws {
    let lab = try DiscoveryLab(.daemon)
    try lab.probe("P", "capture lo")
    try await lab.expect("P", "capturing")
    try lab.probe("A", kind)
    try lab.order("A", "advertise aaaaaaaa 4001 v=1 n=one")
    try await lab.expect("A", "state running \(kind == "auto" ? "avahi-daemon" : "embedded")")
    try await lab.expectAmongAll("A", "found aaaaaaaa 4001")
    let browsed = try await lab.run("with-avahi-user avahi-browse --resolve --parsable --terminate _latchkey._tcp")
    let resolved = browsed.filter { $0.hasPrefix("=;") }.map {
      $0.split(separator: ";", omittingEmptySubsequences: false)
    }
    #expect(!resolved.isEmpty)
    for fields in resolved {
      #expect(fields[3] == "aaaaaaaa")
      #expect(fields[6].wholeMatch(of: /[0-9a-z]{8}\.local/) != nil, "the host is \(fields[6])")
      #expect(fields[7] == "127.0.0.1" || fields[7] == "::1")
      #expect(fields[8] == "4001")
      // No cookie of the daemon's, which would tell that two instances are of one machine.
      #expect(Set(fields[9].split(separator: " ")) == ["\"v=1\"", "\"n=one\""])
    }
    #expect(browsed.allSatisfy { !$0.contains("telltale") })
    // The daemon may put its own records and ours into one packet; the stack in the process never
    // knew its name.
    let ours = lab.all("P").filter { $0.contains("aaaaaaaa") }
    #expect(!ours.isEmpty)
    if kind == "embedded" { #expect(!ours.contains { $0.contains("telltale") }) }
    let machine = try #require(try await lab.run("hostname").first)
    #expect(!lab.all("P").contains { $0.contains(".\(machine).") })
  }

  @Test func aDaemonThatDiesAndReturnsIsFollowed() async throws {
    let lab = try DiscoveryLab(.daemon)
    try lab.probe("A", "auto")
    try lab.order("A", "advertise aaaaaaaa 4001 v=1 t=0")
    try await lab.expect("A", "state running avahi-daemon")
    try lab.probe("B", "embedded lo")
    try lab.order("B", "advertise bbbbbbbb 4002 v=1")
    try await lab.expect("B", "found aaaaaaaa 4001 127.0.0.1,::1 t=0,v=1")
    try await lab.expect("A", "found bbbbbbbb 4002")

    try lab.shell("kill -9 $(cat $WITH_AVAHI_DIR/avahi.pid)")
    try await lab.expect("A", "state running embedded")
    try lab.order("A", "advertise aaaaaaaa 4001 v=1 t=1")
    try await lab.expect("B", "found aaaaaaaa 4001 127.0.0.1,::1 t=1,v=1")

    try await lab.run("with-avahi-daemon")
    try await lab.expect("A", "state running avahi-daemon")
    try lab.order("A", "advertise aaaaaaaa 4001 v=1 t=2")
    try await lab.expect("B", "found aaaaaaaa 4001 127.0.0.1,::1 t=2,v=1")
    // Withdrawn through the second daemon, so it was that daemon which announced it.
    try lab.order("A", "withdraw")
    try await lab.expect("B", "lost aaaaaaaa")
    // A service that remained was never reported as lost.
    #expect(!lab.all("A").contains("lost bbbbbbbb"))

    // A restart so quick that the name hardly leaves the bus.
    try lab.order("A", "advertise aaaaaaaa 4001 v=1 t=3")
    try await lab.run("with-avahi-daemon")
    try await lab.expect("A", "state running embedded")
    try await lab.expect("A", "state running avahi-daemon")
    try await lab.expectAmongAll("B", "found aaaaaaaa 4001 127.0.0.1,::1 t=3,v=1")
    #expect(!lab.all("A").contains { $0.hasPrefix("renamed") }, "the back end before is no other host")
  }

  @Test func aBusAndADaemonThatComeLaterAreFound() async throws {
    let lab = try DiscoveryLab(.nothing)
    try lab.probe("A", "auto")
    try lab.probe("D", "daemon")
    try lab.order("A", "advertise aaaaaaaa 4001 v=1")
    try await lab.expect("A", "state running embedded")
    try await lab.expect("D", "state failed No avahi-daemon answers on this system; start it")
    try await lab.run("with-avahi-bus; with-avahi-daemon")
    try await lab.expect("A", "state running avahi-daemon")
    try await lab.expectAmongAll("D", "state running avahi-daemon")
    try await lab.expectAmongAll("D", "found aaaaaaaa 4001 127.0.0.1,::1 v=1")
    // The bus takes the daemon with it, and both come back.
    try await lab.run("with-avahi-bus")
    try await lab.expect("A", "state running embedded")
    try await lab.run("with-avahi-daemon")
    try await lab.expect("A", "state running avahi-daemon")
  }

  @Test(arguments: ["advertise aaaaaaaa 4001 v=1 t=1", "withdraw"])
  func aBusThatDiesDuringACallIsNoticed(order: String) async throws {
    let lab = try DiscoveryLab(.daemon)
    try lab.probe("A", "auto")
    try lab.order("A", "advertise aaaaaaaa 4001 v=1 t=0")
    try await lab.expect("A", "state running avahi-daemon")
    try await lab.expectAmongAll("A", "found aaaaaaaa 4001 127.0.0.1,::1 t=0,v=1")
    // A bus that stands still keeps the caller waiting, and is killed once the call is in its
    // queue.
    try await lab.run("kill -STOP $(cat $WITH_AVAHI_DIR/bus.pid)")
    try lab.order("A", order)
    try await lab.run(
      """
      until ss -xH | awk '/system_bus_socket/ && $3 > 0 { found = 1 } END { exit !found }'; do sleep 0.01; done
      kill -9 $(cat $WITH_AVAHI_DIR/bus.pid)
      """)
    try await lab.expect("A", "state running embedded")
    try await lab.run("with-avahi-bus; with-avahi-daemon")
    try await lab.expect("A", "state running avahi-daemon")
  }

  @Test func aDaemonThatExcludesTheInterfaceIsNotUsed() async throws {
    let lab = try DiscoveryLab(.bus)
    try lab.shell("sed -i 's/^use-ipv4=.*/&\\ndeny-interfaces=lo/' $WITH_AVAHI_DIR/avahi.conf; with-avahi-daemon")
    try lab.probe("A", "auto")
    try lab.probe("D", "daemon lo")
    try lab.order("A", "advertise aaaaaaaa 4001 v=1")
    try await lab.expect(
      "D", "state failed The system's avahi-daemon is of no use here: it does not serve lo. Allow the embedded stack.")
    try await lab.expect("A", "state running embedded")
    try await lab.expect("A", "found aaaaaaaa 4001 127.0.0.1,::1 v=1")
    #expect(!lab.all("A").contains("state running avahi-daemon"))
    // Configured to serve it, the restarted daemon is.
    try lab.shell("sed -i '/deny-interfaces/d' $WITH_AVAHI_DIR/avahi.conf; with-avahi-daemon")
    try await lab.expect("A", "state running avahi-daemon")
    try await lab.expect("D", "state running avahi-daemon")
  }

  @Test func aDaemonThatRefusesAnnouncementsIsNotUsed() async throws {
    let lab = try DiscoveryLab(.bus)
    try lab.shell("sed -i 's/^.publish.$/&\\ndisable-user-service-publishing=yes/' $WITH_AVAHI_DIR/avahi.conf")
    try await lab.run("with-avahi-daemon")
    try lab.probe("D", "daemon lo")
    try await lab.expect(
      "D", "state failed The system's avahi-daemon is of no use here: it refuses announcements")
  }

  /// A reflecting daemon repeats on every network what it hears on loopback, which `lo` promises
  /// not to happen.
  @Test func namedLoopbackNeverGoesThroughADaemon() async throws {
    let lab = try DiscoveryLab(.bus)
    try await lab.run(EmbeddedLabTests.twoHosts)
    try lab.probe("P", "capture eth0", under: "ip netns exec b")
    try await lab.expect("P", "capturing")
    try await lab.run("with-avahi-daemon")
    try await lab.expect("P", "mdns ", containing: ["telltale"])
    try lab.probe("A", "auto lo")
    try lab.probe("B", "auto lo")
    try lab.order("A", "advertise aaaaaaaa 4001 v=1")
    try await lab.expect("A", "state running embedded")
    try await lab.expect("B", "found aaaaaaaa 4001 127.0.0.1,::1 v=1")
    try lab.order("A", "quit")
    try await lab.expect("A", "stopped")
    try await lab.expect("B", "lost aaaaaaaa")
    #expect(!lab.all("A").contains("state running avahi-daemon"))
    #expect(!lab.all("P").contains { $0.contains("latchkey") || $0.contains("aaaaaaaa") })
  }

  @Test func aDaemonOnARealNetworkServesIt() async throws {
    let lab = try DiscoveryLab(.bus)
    try await lab.run(EmbeddedLabTests.twoHosts)
    try await lab.run("with-avahi-daemon")
    try lab.probe("A", "auto")
    try lab.order("A", "advertise aaaaaaaa 4001 v=1")
    try await lab.expect("A", "state running avahi-daemon")
    try lab.probe("B", "embedded", under: "ip netns exec b")
    try lab.order("B", "advertise bbbbbbbb 4002 v=1")
    try await lab.expect("B", "found aaaaaaaa 4001 10.9.9.1,fe80::", containing: ["%eth0 "])
    try await lab.expect("A", "found bbbbbbbb 4002 10.9.9.2,fe80::", containing: ["%eth0 "])
    try lab.shell("ip address add 10.9.9.7/24 dev eth0")
    try await lab.expect("B", "found aaaaaaaa 4001 10.9.9.1,10.9.9.7,")
    try lab.order("A", "quit")
    try await lab.expect("B", "lost aaaaaaaa")
  }

  /// A call over D-Bus to a daemon that hangs waits for 25 s; leaving must not.
  @Test func leavingDoesNotWaitForADaemonThatHangs() async throws {
    let lab = try DiscoveryLab(.daemon)
    try lab.probe("A", "auto")
    try lab.order("A", "advertise aaaaaaaa 4001 v=1")
    try await lab.expect("A", "state running avahi-daemon")
    try await lab.run("kill -STOP $(cat $WITH_AVAHI_DIR/avahi.pid)")
    try lab.order("A", "advertise bbbbbbbb 4001 v=1")
    try lab.order("A", "quit")
    try await lab.expect("A", "stopped")
    try await lab.run("kill -CONT $(cat $WITH_AVAHI_DIR/avahi.pid)")
  }
}
