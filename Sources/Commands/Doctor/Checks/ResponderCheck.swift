import LatchkeyModel

/// The check of the programs that use mDNS on this machine.
struct ResponderCheck: Check {
  func findings(_ facts: Facts) -> [Finding] {
    var findings: [Finding] = []
    // A service that hangs keeps its connections: the node still relies on it, but nothing
    // announces the node.
    let status: NodeStatus? = if case .running(let status, _) = facts.node { status } else { nil }
    let backend = status.flatMap { DiscoveryBackend(rawValue: $0.discovery) }
    let isUsed = backend == .avahiDaemon
    // Started with --no-discovery, the node speaks no mDNS at all.
    let isOff = backend == .fixed
    let severity: Severity = isUsed ? .fault : .warning
    let meanwhile =
      isUsed
      ? "until then this machine is not announced and finds nobody"
      : isOff ? "the node does not look for machines now anyway" : "until then Latchkey speaks mDNS itself"
    switch facts.bus {
    case .answers: break
    case .silent(let reason):
      findings.append(
        Finding(
          "dbus-silent", severity, "The system's D-Bus does not answer (\(reason)), so avahi-daemon cannot be used.",
          next: "Restart it with `sudo systemctl restart dbus`; \(meanwhile)."))
    case .absent:
      findings.append(
        Finding(
          "dbus-absent", .information,
          isOff
            ? "No D-Bus runs on this machine."
            : "No D-Bus runs on this machine, so Latchkey speaks mDNS itself and needs no avahi-daemon."))
    }
    switch facts.avahi {
    case .answers: break
    case .silent(let reason):
      findings.append(
        Finding(
          "avahi-silent", severity, "avahi-daemon does not answer (\(reason)).",
          next: "Restart it with `sudo systemctl restart avahi-daemon`; \(meanwhile)."))
    case .absent:
      findings.append(
        Finding(
          "avahi-absent", .information,
          isOff
            ? "No avahi-daemon runs on this machine."
            : "No avahi-daemon runs on this machine, so Latchkey speaks mDNS itself."))
    }
    if let backend, backend.isLooking {
      let deed = backend.sentence.prefix(1).lowercased() + backend.sentence.dropFirst()
      findings.append(Finding("discovery", .information, "The node \(deed)."))
    } else if backend == .fixed {
      findings.append(
        Finding(
          "discovery-off", .information, "Nothing is looked for: the node was started with --no-discovery.",
          next: "Start it without, or name each machine with `latchkey run --peer host:port`."))
    } else if let status, backend == nil {
      findings.append(
        Finding(
          "discovery-failed", .fault, "Nothing is looked for: \(status.discovery)", next: "See `latchkey status`."))
    }
    let programs = responders(facts)
    if programs.count > 1 {
      let names = programs.joined(separator: ", ")
      findings.append(
        Finding(
          "several-responders", .warning,
          "Several programs speak mDNS on UDP port 5353 (\(names)), and take each other's answers.",
          next:
            "Leave one: let avahi-daemon serve all, and switch mDNS off in the others (systemd-resolved: `MulticastDNS=no`)."
        ))
    }
    return findings
  }

  /// Returns the programs that use mDNS, with this user's nodes as one.
  private func responders(_ facts: Facts) -> [String] {
    var unnamed = facts.responders.filter { $0.name == nil }.map(\.user)
    var named = Set(facts.responders.compactMap(\.name))
    // A running node hides its process data, so one of its user's unnamed programs is the node.
    if case .running(let status, _) = facts.node, status.discovery == DiscoveryBackend.embedded.rawValue,
      !named.contains("latchkey"),
      let own = unnamed.firstIndex(of: facts.folder.user)
    {
      unnamed.remove(at: own)
      named.insert("latchkey")
    }
    return named.sorted() + unnamed.map { "a program of user \($0)" }
  }
}
