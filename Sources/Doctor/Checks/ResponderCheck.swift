import LatchkeyModel

/// What speaks mDNS on this machine.
struct ResponderCheck: Check {
  /// What `NodeStatus.discovery` says while machines are looked for.
  private static let inUse = [
    "avahiDaemon": "The node speaks mDNS through the system's avahi-daemon.",
    "embedded": "The node speaks mDNS itself, with the stack inside it.",
  ]

  func findings(_ facts: Facts) -> [Finding] {
    var findings: [Finding] = []
    // A service that hangs breaks no connection: the node counts on it on, and nobody speaks for the node.
    let isUsed = if case .running(let status, _) = facts.node { status.discovery == "avahiDaemon" } else { false }
    let severity: Severity = isUsed ? .fault : .warning
    let meanwhile =
      isUsed ? "until then this machine is not announced and finds nobody" : "until then Latchkey speaks mDNS itself"
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
          "No D-Bus runs on this machine, so Latchkey speaks mDNS itself and needs no avahi-daemon."))
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
          "avahi-absent", .information, "No avahi-daemon runs on this machine, so Latchkey speaks mDNS itself."))
    }
    if case .running(let status, _) = facts.node, let words = Self.inUse[status.discovery] {
      findings.append(Finding("discovery", .information, words))
    }
    if case .running(let status, _) = facts.node,
      !["avahiDaemon", "embedded", "starting"].contains(status.discovery)
    {
      findings.append(
        status.discovery == "fixed" || status.discovery == "static"
          ? Finding(
            "discovery-off", .information, "Nothing is looked for: the node was started with --no-discovery.",
            next: "Start it without, or name each machine with `latchkey run --peer host:port`.")
          : Finding(
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

  /// Returns the programs that speak mDNS, this user's nodes as one.
  private func responders(_ facts: Facts) -> [String] {
    var unnamed = facts.responders.filter { $0.name == nil }.map(\.user)
    var named = Set(facts.responders.compactMap(\.name))
    // The node that answers keeps itself from being looked at: one of its user's unnamed programs is it.
    if case .running(let status, _) = facts.node, status.discovery == "embedded", !named.contains("latchkey"),
      let own = unnamed.firstIndex(of: facts.folder.user)
    {
      unnamed.remove(at: own)
      named.insert("latchkey")
    }
    return named.sorted() + unnamed.map { "a program of user \($0)" }
  }
}
