/// The check of whether the machine's firewall lets other machines and mDNS in.
struct FirewallCheck: Check {
  func findings(_ facts: Facts) -> [Finding] {
    var findings: [Finding] = []
    if let unread = facts.firewall.unread {
      findings.append(
        Finding(
          "firewall-unread", .unchecked, "The firewall's rules could not be looked at: \(unread.reason).",
          next: unread.next))
    }
    if let port = facts.port, let interface = facts.interfaceThatDrops("tcp", port) {
      findings.append(
        Finding(
          "firewall-port", .fault,
          "The firewall drops connections to this node (TCP port \(port) on \(interface)), so nobody can call it.",
          next: Self.allow("tcp", port, facts.firewall.keeper)))
    }
    if let interface = facts.interfaceThatDrops("udp", 5_353) {
      findings.append(
        Finding(
          "firewall-mdns", .fault,
          "The firewall drops mDNS (UDP port 5353 on \(interface)), so no machine is found here.",
          next: Self.allow("udp", 5_353, facts.firewall.keeper)))
    }
    return findings
  }

  static func allow(_ transport: String, _ port: UInt16, _ keeper: FirewallFacts.Keeper?) -> String {
    switch keeper {
    case .ufw: "Run `sudo ufw allow \(port)/\(transport)`."
    case .firewalld:
      "Run `sudo firewall-cmd --permanent --add-port=\(port)/\(transport)` and `sudo firewall-cmd --reload`."
    case nil:
      "Allow it in your firewall's rules, with nft: `\(transport) dport \(port) accept` before what drops it."
    }
  }
}

extension Facts {
  /// Returns the first interface on which the firewall drops what comes to a port; `nil` for none.
  func interfaceThatDrops(_ transport: String, _ port: UInt16) -> String? {
    let walk = FirewallWalk(chains: firewall.chains)
    return lanInterfaces.first { interface in
      [false, true].contains { isV6 in
        guard interface.addresses.contains(where: { $0.isV4 != isV6 }) else { return false }
        let packet = FirewallPacket(transport: transport, port: port, interface: interface.name, isV6: isV6)
        return walk.fate(of: packet, at: "input") == .dropped
      }
    }?.name
  }
}
