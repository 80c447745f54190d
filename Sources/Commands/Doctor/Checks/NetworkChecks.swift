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
}

extension NetworkInterface {
  /// Whether the interface belongs to a private network, by its kind or name.
  var isTunnel: Bool {
    let prefixes = ["wg", "tun", "tap", "ppp", "tailscale", "zt", "nordlynx", "proton", "mullvad"]
    return !isLoopback && (isPointToPoint || prefixes.contains { name.hasPrefix($0) })
  }
}
