import LatchkeyModel

extension Facts {
  /// Checks the programs that use mDNS on this machine.
  func checkResponders(_ findings: inout [Finding]) {
    // A service that hangs keeps its connections, so the node relies on it but is not announced.
    let backend = status.flatMap { DiscoveryBackend(rawValue: $0.discovery) }
    let isUsed = backend == .avahiDaemon
    // Started with --no-discovery, the node speaks no mDNS at all.
    let isOff = backend == .fixed
    let severity: Severity = isUsed ? .fault : .warning
    let meanwhile =
      isUsed
      ? "until then this machine is not announced and finds nobody"
      : isOff ? "the node does not look for machines now anyway" : "until then Latchkey speaks mDNS itself"
    switch bus {
    case .answers: break
    case .silent(let reason):
      findings.add(
        "dbus-silent", severity, "The system's D-Bus does not answer (\(reason)), so avahi-daemon cannot be used.",
        next: "Restart it with `sudo systemctl restart dbus`; \(meanwhile).")
    case .absent:
      findings.add(
        "dbus-absent", .information,
        isOff
          ? "No D-Bus runs on this machine."
          : "No D-Bus runs on this machine, so Latchkey speaks mDNS itself and needs no avahi-daemon.")
    }
    switch avahi {
    case .answers: break
    case .silent(let reason):
      findings.add(
        "avahi-silent", severity, "avahi-daemon does not answer (\(reason)).",
        next: "Restart it with `sudo systemctl restart avahi-daemon`; \(meanwhile).")
    case .absent:
      findings.add(
        "avahi-absent", .information,
        isOff
          ? "No avahi-daemon runs on this machine."
          : "No avahi-daemon runs on this machine, so Latchkey speaks mDNS itself.")
    }
    if let backend, backend.isLooking {
      let deed = backend.sentence.prefix(1).lowercased() + backend.sentence.dropFirst()
      findings.add("discovery", .information, "The node \(deed).")
    } else if backend == .fixed {
      findings.add(
        "discovery-off", .information, "Nothing is looked for: the node was started with --no-discovery.",
        next: "Start it without, or name each machine with `latchkey run --peer host:port`.")
    } else if let status, backend == nil {
      findings.add(
        "discovery-failed", .fault, "Nothing is looked for: \(status.discovery)", next: "See `latchkey status`.")
    }
    let programs = multicastPrograms
    if programs.count > 1 {
      let names = programs.joined(separator: ", ")
      findings.add(
        "several-responders", .warning,
        "Several programs speak mDNS on UDP port 5353 (\(names)), and take each other's answers.",
        next:
          "Leave one: let avahi-daemon serve all, and switch mDNS off in the others (systemd-resolved: `MulticastDNS=no`)."
      )
    }
  }

  /// The programs that use mDNS, with this user's nodes as one.
  private var multicastPrograms: [String] {
    var unnamed = responders.filter { $0.name == nil }.map(\.user)
    var named = Set(responders.compactMap(\.name))
    // A running node hides its process data, so one of its user's unnamed programs is the node.
    if status?.discovery == DiscoveryBackend.embedded.rawValue, !named.contains("latchkey"),
      let own = unnamed.firstIndex(of: folder.user)
    {
      unnamed.remove(at: own)
      named.insert("latchkey")
    }
    return named.sorted() + unnamed.map { "a program of user \($0)" }
  }

  /// Checks whether multicast packets of this machine and of others are received.
  func checkMulticast(_ findings: inout [Finding]) {
    for probe in multicast {
      if let fault = probe.fault {
        findings.add(
          "multicast-unsent", .warning, "Multicast could not be tried on \(probe.interface) (\(fault)).",
          next: "See that the interface is up and has an address, and that no firewall drops mDNS.")
      } else if !probe.heardItself {
        findings.add(
          "multicast-unheard", .fault, "This machine does not hear its own multicast on \(probe.interface).",
          next: "Look for a firewall rule that drops UDP port 5353 or 224.0.0.251, and for a VPN that takes multicast.")
      } else {
        findings.add(
          "multicast-heard", .information,
          "Multicast works on \(probe.interface) as far as this machine goes"
            + (probe.heardOthers == 0
              ? "; nobody else spoke meanwhile."
              : "; \(probe.heardOthers) other\(probe.heardOthers == 1 ? "" : "s") spoke meanwhile."))
      }
    }
  }
}
