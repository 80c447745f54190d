import LatchkeyAgentProtocol
import LatchkeyModel
import LatchkeyRules
import Testing

@testable import LatchkeyCommands
@testable import LatchkeyNode

/// Tests of the checks: a machine without faults, and every fault that can be planted, as facts.
@Suite struct CheckTests {
  private func ids(_ facts: Facts, _ least: Severity = .warning) -> [String] {
    Examination(facts).findings.filter { $0.severity >= least }.map(\.id)
  }

  private func all(_ facts: Facts) -> [String] { ids(facts, .information) }

  private func finding(_ id: String, _ facts: Facts) throws -> Finding {
    try #require(Examination(facts).findings.first { $0.id == id }, "\(all(facts))")
  }

  @Test func aSoundMachineHasNothingToMend() {
    #expect(ids(Sample.facts()).isEmpty, "\(Examination(Sample.facts()).findings)")
    #expect(Examination(Sample.facts()).worst == .information)
  }

  @Test("A receiver that is told nothing for a day, and one whose bridge does not run, are told")
  func receivers() throws {
    func receiver(_ name: String, isRunning: Bool, fault: String?) -> ReceiverListing {
      ReceiverListing(
        name: name, kind: .ntfy, rights: [], mostMinutes: 0, usedMinutes: 0, mostMilliPoints: 0, usedMilliPoints: 0,
        addedAt: 0, isRunning: isRunning, fault: fault, faultSince: fault.map { _ in Sample.now - 26 * 3_600_000 })
    }
    var facts = Sample.facts()
    facts.receivers = [
      receiver("phone", isRunning: true, fault: "The server is away: see whether it runs."),
      receiver("hook", isRunning: false, fault: nil), receiver("home", isRunning: true, fault: nil),
    ]
    let fault = try finding("receiver-fault", facts).sentence
    #expect(
      fault == "Something has been wrong with the receiver “phone” for \(SpanText.of(26 * 3_600_000)): "
        + "The server is away: see whether it runs.")
    #expect(try finding("receiver-not-running", facts).sentence.contains("“hook”"))
    #expect(!Examination(facts).findings.contains { $0.sentence.contains("“home”") })
  }

  @Test func whatTheNodeWarnsOfIsNotToldAgainAsACondition() throws {
    let hello = AgentHello(run: 1, isSystem: false, hasEvents: false, user: 1_000, boot: "boot", orders: nil)
    let warning = try #require(AgentService.sentence(hello))
    var (facts, status) = (Sample.facts(), Sample.status())
    status.warnings = [warning, "Another warning."]
    facts.node = .running(status, nil)
    #expect(Examination(facts).findings.filter { $0.id == "node-warning" }.count == 2)
    facts.conditions = [
      ConditionListing(
        deviceID: Sample.peerID, deviceName: DeviceName(sanitising: "Emma's PC"), isOwn: true,
        condition: MachineCondition("own-programs-only"))
    ]
    let found = Examination(facts).findings
    #expect(found.filter { $0.id == "node-warning" }.map(\.sentence) == ["Another warning."])
    #expect(found.filter { $0.sentence.contains("own account only") }.count == 1, "\(found)")
    #expect(found.first { $0.id == "own-programs-only" }?.next.hasPrefix("Install the package here") == true)
  }

  @Test func whatWeakensTheRulesOnAChildsMachineIsTold() throws {
    var facts = Sample.facts()
    let name = DeviceName(sanitising: "Emma's PC")
    func listing(_ condition: MachineCondition, isOwn: Bool = false) -> ConditionListing {
      ConditionListing(
        deviceID: Sample.peerID, deviceName: name, isOwn: isOwn, heardAt: Sample.now - 3 * 3_600_000,
        condition: condition,
        accountName: condition.account.map { _ in "emma" })
    }
    let details = ["other-enforcer": "timekpr", "privileged-group": "docker", "rule-unrecognized": "kart"]
    let told =
      ConditionKind.all.map { MachineCondition($0.name, account: 1_000, detail: details[$0.name] ?? "") }
      + [MachineCondition("from-the-future")]
    facts.conditions = told.map { listing($0) }
    let found = Examination(facts).findings
    #expect(Set(told.map(\.name)).subtracting(found.map(\.id)) == ["from-the-future"])
    #expect(found.contains { $0.id == "machine-condition" && $0.next.contains("Update") })
    #expect(
      try finding("privileged-group", facts).sentence
        == "The account emma on “Emma's PC” is in the group docker, with which it can get around every rule.")
    #expect(try finding("privileged-group", facts).next.contains("gpasswd --delete emma docker"))
    #expect(found.allSatisfy { !$0.sentence.contains("{") && !$0.next.contains("{") })
    #expect(found.allSatisfy { $0.sentence.hasSuffix(".") && ($0.severity < .warning || $0.next.hasSuffix(".")) })

    facts.conditions = [listing(MachineCondition("rule-bad-matcher", detail: "kart"))]
    let kart = try #require(AppID("kart"))
    facts.terms = [Sample.peerID: RuleTerms(names: [kart: "Super Kart"], whose: "--child Emma")]
    let named = try finding("rule-bad-matcher", facts)
    #expect(named.sentence.hasPrefix("The rules of “Super Kart” cannot recognize a program"), "\(named)")
    #expect(named.next.contains("`latchkey app set \"Super Kart\" --child Emma` and --matcher"), "\(named)")

    var away = Sample.status()
    away.peers[0].isConnected = false
    facts = Sample.facts(away)
    facts.conditions = [listing(told[0])]
    #expect(
      try finding("agent-silent", facts).sentence.hasSuffix("so nothing is closed (last heard 3 h ago)."))
    facts.conditions = [listing(told[0], isOwn: true)]
    #expect(try finding("agent-silent", facts).sentence == "No agent runs on this machine, so nothing is closed.")
  }

  @Test func whateverIsFoundIsASentenceAndFaultsHaveANextStep() {
    for facts in Sample.broken {
      for finding in Examination(facts).findings {
        #expect(finding.sentence.hasSuffix("."), "\(finding)")
        #expect(finding.severity < .warning || finding.next.count > 10, "\(finding)")
        #expect(finding.next.isEmpty || finding.next.hasSuffix("."), "\(finding)")
        #expect(finding.id.allSatisfy { $0.isLowercase || $0 == "-" }, "\(finding)")
      }
    }
  }

  @Test func aNodeThatDoesNotRunComesFirst() throws {
    var facts = Sample.facts()
    facts.node = .absent("No node is running for /x: start it with `latchkey run --state-dir /x`.")
    facts.folder.freeBytes = 0
    #expect(Examination(facts).findings.first?.id == "node-not-running")
    #expect(try finding("node-not-running", facts).sentence == "No node is running for /x.")
    #expect(try finding("node-not-running", facts).next == "Start it with `latchkey run --state-dir /x`.")
    #expect(all(facts).contains("disk-full"))
  }

  /// `run --interfaces` takes the place of the rule.
  @Test func interfacesThatAPersonNamed() throws {
    var status = Sample.status()
    status.interfaces = ["docker0", "lo"]
    var facts = Sample.facts(status)
    facts.interfaces.append(Sample.interface("docker0", "172.17.0.1", 16))
    #expect(facts.lanInterfaces.map(\.name) == ["lo", "docker0"])
    #expect(try finding("interface-left-out", facts).sentence.contains("eth0 is left out: `latchkey run --interfaces`"))
    status.interfaces = ["wlan7"]
    #expect(ids(Sample.facts(status)) == ["interfaces-unusable"])
    #expect(try finding("interfaces-unusable", Sample.facts(status)).severity == .fault)
  }

  @Test func whatTheNodeWarnsOfIsPassedOn() throws {
    var status = Sample.status()
    status.warnings = ["The disk is nearly full: make room."]
    let facts = Sample.facts(status)
    #expect(ids(facts) == ["node-warning"])
  }

  @Test(arguments: [(MachineFacts.other, ["other-machine"]), (.same, []), (.unreadable, [])])
  func aChangedMachineID(machine: MachineFacts, found: [String]) {
    var facts = Sample.facts()
    facts.machine = machine
    #expect(ids(facts) == found)
  }

  @Test func aMachineWithoutIDIsInformationAlone() {
    var facts = Sample.facts()
    facts.machine = .unknown
    #expect(ids(facts).isEmpty && all(facts).contains("machine-unknown"))
  }

  @Test(
    arguments: [
      (0o755, 1_000, 0o600, 1_000, ["folder-open"]), (0o700, 1_000, 0o644, 1_000, ["folder-open"]),
      (0o700, 0, 0o600, 1_000, ["folder-owner"]), (0o700, 1_000, 0o600, 0, ["folder-owner"]),
      (0o500, 1_000, 0o600, 1_000, ["folder-rights"]), (0o700, 1_000, 0o400, 1_000, ["folder-rights"]),
      (0o700, 1_000, 0o600, 1_000, []),
    ] as [(UInt32, UInt32, UInt32, UInt32, [String])])
  func rightsOfTheFolder(mode: UInt32, owner: UInt32, fileMode: UInt32, fileOwner: UInt32, found: [String]) {
    var facts = Sample.facts()
    facts.folder.entries = [
      .init(path: "/x", owner: owner, mode: mode), .init(path: "/x/node.json", owner: fileOwner, mode: fileMode),
    ]
    #expect(ids(facts) == found)
  }

  @Test func whatIsNotWhatItSeems() {
    var facts = Sample.facts()
    facts.folder.entries.append(.init(path: "/x/node.json", owner: 1_000, mode: 0o777, isLink: true))
    #expect(ids(facts) == ["folder-link"])
    facts.folder.entries[facts.folder.entries.count - 1] = .init(
      path: "/x/node.json", owner: facts.folder.user, mode: 0o600, names: 2)
    #expect(ids(facts) == ["folder-names"])
    facts = Sample.facts()
    facts.folder.exposedParent = "/srv"
    #expect(ids(facts) == ["folder-parent"])
  }

  @Test func aNodeThatHasNoRoomForNewWork() throws {
    var status = Sample.status()
    status.disk = DiskStatus(state: .full, freeBytes: 9 << 20, databaseBytes: 1, logBytes: 1, reserveBytes: 0)
    var facts = Sample.facts(status)
    facts.folder.freeBytes = 9 << 20
    #expect(ids(facts) == ["disk-full"])
    #expect(try finding("disk-full", facts).sentence.contains("9 MB"))
  }

  @Test func rootMayLookAtAnothersFolder() {
    var facts = Sample.facts()
    facts.folder.user = 0
    #expect(ids(facts).isEmpty)
  }

  @Test func theDisk() throws {
    var facts = Sample.facts()
    facts.folder.freeBytes = 1 << 20
    #expect(ids(facts) == ["disk-full"])
    facts.folder.freeBytes = 50 << 20
    #expect(ids(facts) == ["disk-scarce"])
    facts.folder.freeBytes = 1 << 40
    facts.folder.writeFault = "Input/output error"
    #expect(try finding("disk-fault", facts).sentence.contains("Input/output error"))
    facts.folder.isReadOnly = true
    #expect(ids(facts) == ["disk-read-only"])
    facts = Sample.facts()
    facts.folder.syncMicroseconds = 350_000
    #expect(ids(facts) == ["disk-slow"])
    facts.folder.syncMicroseconds = 4_000
    #expect(try finding("disk-rate", facts).sentence.contains("about 250 small writes"))
  }

  @Test func interfacesThatAreLeftOutAndWhy() throws {
    var facts = Sample.facts()
    facts.interfaces += [
      Sample.interface("docker0", "172.17.0.1", 16), Sample.interface("ppp0", "10.9.0.1", 32),
      Sample.interface("dummy0", "10.8.0.1"), Sample.interface("eth1"), Sample.interface("eth2"),
    ]
    facts.interfaces[3].isPointToPoint = true
    facts.interfaces[4].isMulticast = false
    facts.interfaces[5].isUp = false
    facts.interfaces[6].isRunning = false
    let texts = Examination(facts).findings.filter { $0.id == "interface-left-out" }.map(\.sentence)
    #expect(
      texts == [
        "docker0 is left out: it belongs to containers or virtual machines.",
        "ppp0 is left out: it joins two points only, as tunnels do.", "dummy0 is left out: it carries no multicast.",
        "eth1 is left out: it is switched off.",
        "eth2 is left out: its cable is not plugged in, or it is in no network.",
      ])
    facts.interfaces = facts.interfaces.filter { $0.name != "eth0" }
    #expect(ids(facts) == ["no-interface"])
    facts = Sample.facts()
    facts.interfaces[1].isRunning = false
    #expect(ids(facts) == ["interface-down"])
  }

  @Test func aVPNThatTakesTheTraffic() {
    var facts = Sample.facts()
    facts.interfaces.append(Sample.interface("wg0", "10.66.0.2", 32))
    #expect(ids(facts).isEmpty)
    facts.defaultInterface = "wg0"
    #expect(ids(facts) == ["vpn-default-route"])
    facts.interfaces[2].name = "corp"
    facts.interfaces[2].isPointToPoint = true
    facts.defaultInterface = "corp"
    #expect(ids(facts) == ["vpn-default-route"])
  }

  @Test func aKillSwitch() {
    var facts = Sample.facts()
    var rule = FirewallRule(exceptInterface: "wg0", verdict: .drop)
    facts.firewall.chains = [FirewallChain(table: "inet vpn", name: "out", hook: "output", rules: [rule])]
    #expect(ids(facts) == ["vpn-kill-switch"])
    #expect(Examination(facts).worst == .fault)
    // The rule that wg-quick recommends has conditions that cannot be interpreted, so the finding
    // is only likely.
    rule.hasMore = true
    facts.firewall.chains[0].rules = [rule]
    #expect(Examination(facts).worst == .warning && ids(facts) == ["vpn-kill-switch"])
    // The local network is let through.
    facts.firewall.chains[0].rules = [FirewallRule(interface: "eth0", verdict: .accept), rule]
    #expect(ids(facts).isEmpty)
  }

  @Test func aFirewallThatDropsThePortOrMDNS() throws {
    var facts = Sample.facts()
    facts.firewall.chains = [
      FirewallChain(
        table: "inet filter", name: "input", hook: "input", drops: true,
        rules: [
          FirewallRule(isOfKnownConnections: true, verdict: .accept), FirewallRule(interface: "lo", verdict: .accept),
        ])
    ]
    #expect(ids(facts) == ["firewall-port", "firewall-mdns"])
    #expect(try finding("firewall-port", facts).next.contains("tcp dport 41234 accept"))
    facts.firewall.keeper = .ufw
    #expect(try finding("firewall-port", facts).next == "Run `sudo ufw allow 41234/tcp`.")
    facts.firewall.keeper = .firewalld
    #expect(try finding("firewall-mdns", facts).next.contains("--add-port=5353/udp"))
    facts.firewall.chains[0].rules.append(FirewallRule(transports: ["udp"], ports: [5_353...5_353], verdict: .accept))
    #expect(ids(facts) == ["firewall-port"])
    facts.firewall.chains[0].rules.append(FirewallRule(transports: ["tcp"], ports: [40_000...42_000], verdict: .accept))
    #expect(ids(facts).isEmpty)
  }

  @Test func rulesThatCannotBeReadAreSaidToBe() throws {
    var facts = Sample.facts()
    for unread: FirewallFacts.Unread in [.needsRoot, .noTool, .notUnderstood, .failed("Operation not permitted")] {
      facts.firewall.unread = unread
      #expect(ids(facts, .unchecked) == ["firewall-unread"])
      #expect(ids(facts).isEmpty)
      // Who is root already, or lacks the tool, is not sent to root.
      #expect(try finding("firewall-unread", facts).next.contains("sudo latchkey doctor") == (unread == .needsRoot))
    }
    #expect(try finding("firewall-unread", facts).sentence.hasSuffix("`nft` failed (Operation not permitted)."))
  }

  @Test func servicesThatAreAbsentOrSilent() throws {
    var facts = Sample.facts()
    (facts.bus, facts.avahi) = (.absent, .absent)
    #expect(ids(facts).isEmpty)
    #expect(all(facts).contains("dbus-absent") && all(facts).contains("avahi-absent"))
    (facts.bus, facts.avahi) = (.silent("Connection refused"), .silent("Connection refused"))
    #expect(ids(facts) == ["dbus-silent", "avahi-silent"])
  }

  /// A hanging daemon breaks no connection: the node relies on it, and nothing announces the node.
  @Test func aDaemonThatHangsUnderTheNode() {
    var status = Sample.status()
    for (discovery, severity, words) in [
      ("avahi-daemon", Severity.fault, "finds nobody"), ("embedded", .warning, "speaks mDNS itself"),
    ] {
      status.discovery = discovery
      var facts = Sample.facts(status)
      facts.avahi = .silent("it hangs")
      var found: [Finding] = []
      facts.checkResponders(&found)
      let finding = found.first { $0.id == "avahi-silent" }
      #expect(finding?.severity == severity)
      #expect(finding?.next.contains(words) == true)
    }
  }

  @Test func discoveryThatIsOffOrBroken() {
    var status = Sample.status()
    #expect(all(Sample.facts(status)).contains("discovery"))
    status.discovery = "static"
    #expect(ids(Sample.facts(status)).isEmpty && all(Sample.facts(status)).contains("discovery-off"))
    // Without avahi-daemon it is not said to speak mDNS itself in the same breath.
    var facts = Sample.facts(status)
    (facts.bus, facts.avahi) = (.absent, .absent)
    let sentences = Examination(facts).findings.map(\.sentence)
    #expect(!sentences.contains { $0.contains("speaks mDNS itself") }, "\(sentences)")
    status.discovery = "No network interface is suited."
    #expect(ids(Sample.facts(status)) == ["discovery-failed"])
  }

  @Test func severalStacksOnThePort() throws {
    var facts = Sample.facts()
    facts.responders = [
      PortHolder(name: "avahi-daemon"), PortHolder(name: "systemd-resolve"),
    ]
    #expect(ids(facts) == ["several-responders"])
    #expect(try finding("several-responders", facts).sentence.contains("(avahi-daemon, systemd-resolve)"))
    // Two nodes of ours beside each other share it well; beside another stack one more is one more.
    facts.responders = [PortHolder(name: "latchkey"), PortHolder(name: "latchkey")]
    #expect(ids(facts).isEmpty)
    facts.responders.append(PortHolder(name: nil, user: 112))
    #expect(ids(facts) == ["several-responders"])
  }

  @Test func multicastThatIsNotSeen() {
    var facts = Sample.facts()
    facts.multicast = [MulticastProbe(interface: "eth0", heardItself: false)]
    #expect(ids(facts) == ["multicast-unheard"])
    facts.multicast = [MulticastProbe(interface: "eth0", fault: "Network is unreachable", heardItself: false)]
    #expect(ids(facts) == ["multicast-unsent"])
  }

  @Test func queues() throws {
    var status = Sample.status()
    status.peers[0].queues = [Sample.queue(age: 300_000)]
    #expect(ids(Sample.facts(status)) == ["queue-stuck"])
    status.peers[0].isConnected = false
    #expect(ids(Sample.facts(status)).isEmpty)
    status.peers[0].queues = [Sample.queue(age: 8 * 86_400_000)]
    #expect(try finding("queue-old", Sample.facts(status)).sentence.contains("have waited for 8 days"))
    status.peers[0].queues = [Sample.queue(age: nil, dropped: 3)]
    #expect(ids(Sample.facts(status)) == ["queue-dropped"])
  }

  @Test func clocksAreInformationAlone() throws {
    var facts = Sample.facts()
    facts.clock.isSynchronised = false
    facts.clock.stamps = [
      .init(device: "Emma's PC", at: facts.clock.now + 7_200_000), .init(device: "Ben's", at: facts.clock.now + 1_000),
    ]
    #expect(ids(facts).isEmpty)
    #expect(all(facts).filter { $0.hasPrefix("clock") } == ["clock-unsynchronised", "clock-difference"])
    #expect(try finding("clock-difference", facts).sentence.contains("“Emma's PC” is at least 2 h ahead"))
  }
}
