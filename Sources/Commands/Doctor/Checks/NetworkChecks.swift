import LatchkeyModel
import LatchkeySystem

extension Facts {
  /// Checks which interfaces the node searches, and why it does not search the others.
  func checkInterfaces(_ findings: inout [Finding]) {
    let used = lanInterfaces
    if let chosen = chosenInterfaces, used.isEmpty {
      findings.add(
        "interfaces-unusable", .fault,
        "`latchkey run --interfaces` names \(chosen.joined(separator: ", ")), and nothing of it can be used here.",
        next: "Name others (`ip address` shows which there are), or leave `--interfaces` out.")
    } else if used.isEmpty {
      findings.add(
        "no-interface", .fault, "This machine is on no network on which others could be found.",
        next: "Connect it by cable or Wi-Fi, or name an interface with `latchkey run --interfaces NAME`.")
    } else {
      let names = used.map { "\($0.name) (\($0.subnets.map(\.description).joined(separator: ", ")))" }
      findings.add("interfaces", .information, "Machines are looked for on \(names.joined(separator: ", ")).")
    }
    for interface in interfaces where !interface.isLoopback {
      guard let exclusion = interface.exclusion(names: chosenInterfaces) else {
        if !interface.isRunning {
          findings.add(
            "interface-down", .warning, "\(interface.name) is switched on and has no link.",
            next: "Plug its cable in, or join the Wi-Fi network.")
        }
        continue
      }
      findings.add(
        "interface-left-out", .information, "\(interface.name) is left out: \(Self.reason(exclusion, interface)).",
        next: chosenInterfaces != nil ? "" : "To use it all the same, name it with `latchkey run --interfaces`.")
    }
  }

  /// Returns why an interface is not used, as a clause.
  private static func reason(_ exclusion: NetworkInterface.Exclusion, _ interface: NetworkInterface) -> String {
    switch exclusion {
    case .loopback: "it leads to this machine alone"
    case .off: "it is switched off"
    case .virtual: "it belongs to containers or virtual machines"
    case .pointToPoint: "it joins two points only, as tunnels do"
    case .noMulticast: "it carries no multicast"
    case .noAddress: interface.isRunning ? "it has no address" : "its cable is not plugged in, or it is in no network"
    case .notNamed: "`latchkey run --interfaces` names others"
    }
  }

  /// Checks whether a VPN redirects the traffic, or forbids traffic outside of it.
  func checkTunnels(_ findings: inout [Finding]) {
    let tunnels = interfaces.filter { $0.isTunnel && $0.isUp }
    if let tunnel = tunnels.first(where: { $0.name == defaultInterface }) {
      findings.add(
        "vpn-default-route", .warning, "A VPN (\(tunnel.name)) takes this machine's traffic.",
        next:
          "Let it leave the local network alone (often called “allow LAN access” or split tunnelling), or switch it off."
      )
    }
    // A kill switch drops packets that do not leave through the tunnel, even without a tunnel.
    for interface in lanInterfaces {
      let packet = FirewallPacket(transport: "tcp", port: 40_000, interface: interface.name)
      let fate = firewall.fate(of: packet, at: "output")
      let isLikely =
        fate == .unclear
        && firewall.chains.contains { chain in
          chain.rules.contains { $0.verdict == .drop && $0.exceptInterface != nil && $0.mayMeet(packet) }
        }
      guard fate == .dropped || isLikely else { continue }
      findings.add(
        "vpn-kill-switch", isLikely ? .warning : .fault,
        "The firewall \(isLikely ? "may drop" : "drops") what leaves by \(interface.name), as the kill switch of a VPN does.",
        next: "Allow the local network in the VPN's settings, or switch its kill switch off.")
      break
    }
  }

  /// Checks whether the machine's firewall lets other machines and mDNS in.
  func checkFirewall(_ findings: inout [Finding]) {
    if let unread = firewall.unread {
      findings.add(
        "firewall-unread", .unchecked, "The firewall's rules could not be looked at: \(unread.reason).",
        next: unread.next)
    }
    if let port, let interface = interfaceThatDrops("tcp", port) {
      findings.add(
        "firewall-port", .fault,
        "The firewall drops connections to this node (TCP port \(port) on \(interface)), so nobody can call it.",
        next: Self.allow("tcp", port, firewall.keeper))
    }
    if let interface = interfaceThatDrops("udp", 5_353) {
      findings.add(
        "firewall-mdns", .fault,
        "The firewall drops mDNS (UDP port 5353 on \(interface)), so no machine is found here.",
        next: Self.allow("udp", 5_353, firewall.keeper))
    }
  }

  /// Returns how to let packets to a port in.
  private static func allow(_ transport: String, _ port: UInt16, _ keeper: FirewallFacts.Keeper?) -> String {
    switch keeper {
    case .ufw: "Run `sudo ufw allow \(port)/\(transport)`."
    case .firewalld:
      "Run `sudo firewall-cmd --permanent --add-port=\(port)/\(transport)` and `sudo firewall-cmd --reload`."
    case nil: "Allow it in your firewall's rules, with nft: `\(transport) dport \(port) accept` before what drops it."
    }
  }

  /// Returns the first interface on which the firewall drops what comes to a port; `nil` for none.
  func interfaceThatDrops(_ transport: String, _ port: UInt16) -> String? {
    lanInterfaces.first { interface in
      [false, true].contains { isV6 in
        guard interface.addresses.contains(where: { $0.isV4 != isV6 }) else { return false }
        let packet = FirewallPacket(transport: transport, port: port, interface: interface.name, isV6: isV6)
        return firewall.fate(of: packet, at: "input") == .dropped
      }
    }?.name
  }

  /// Checks whether phones that were let in reach the pages, which have a port of their own.
  ///
  /// Spec: Protocol/15-pages.md §8.
  func checkPhones(_ findings: inout [Finding]) {
    guard let phones else { return }
    guard phones.hasAuthority, let port = phones.port else {
      return findings.add(
        "phone-authority", .fault,
        "The authority that the phones trust was lost, so that they cannot open the pages any more.",
        next:
          "Remove every phone with `latchkey browsers remove`, take the old authority out of each phone's settings, and let "
          + "them in anew with `latchkey browsers add`.")
    }
    if !phones.isListening {
      findings.add(
        "phone-pages", .warning, "The pages for phones are not served, so that no phone can open them.",
        next:
          "Run `systemctl --user enable --now latchkey-web`, and `loginctl enable-linger` to have them while nobody is logged "
          + "in.")
    }
    if let interface = interfaceThatDrops("tcp", port) {
      findings.add(
        "firewall-phones", .fault,
        "The firewall drops connections of phones to the pages (TCP port \(port) on \(interface)).",
        next: Self.allow("tcp", port, firewall.keeper))
    }
  }

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
        "No D-Bus runs on this machine\(isOff ? "" : ", so Latchkey speaks mDNS itself and needs no avahi-daemon").")
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
        "No avahi-daemon runs on this machine\(isOff ? "" : ", so Latchkey speaks mDNS itself").")
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
            + "; \(probe.heardOthers == 0 ? "nobody else" : ShownText.count(probe.heardOthers, "other")) spoke meanwhile."
        )
      }
    }
  }
}

extension NetworkInterface {
  /// Whether the interface belongs to a private network, by its kind or name.
  var isTunnel: Bool {
    let prefixes = ["wg", "tun", "tap", "ppp", "tailscale", "zt", "nordlynx", "proton", "mullvad"]
    return !isLoopback && (isPointToPoint || prefixes.contains { name.hasPrefix($0) })
  }
}
