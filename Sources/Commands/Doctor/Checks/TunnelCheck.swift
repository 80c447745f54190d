import LatchkeySystem

/// The check of whether a VPN redirects the traffic, or forbids traffic outside of it.
struct TunnelCheck: Check {
  func findings(_ facts: Facts) -> [Finding] {
    var findings: [Finding] = []
    let tunnels = facts.interfaces.filter { $0.isTunnel && $0.isUp }
    if let tunnel = tunnels.first(where: { $0.name == facts.defaultInterface }) {
      findings.append(
        Finding(
          "vpn-default-route", .warning, "A VPN (\(tunnel.name)) takes this machine's traffic.",
          next:
            "Let it leave the local network alone (often called “allow LAN access” or split tunnelling), or switch it off."
        ))
    }
    // A kill switch drops packets that do not leave through the tunnel, even while there is no
    // tunnel.
    for interface in facts.lanInterfaces {
      let walk = FirewallWalk(chains: facts.firewall.chains)
      let packet = FirewallPacket(transport: "tcp", port: 40_000, interface: interface.name)
      let fate = walk.fate(of: packet, at: "output")
      let isLikely =
        fate == .unclear
        && facts.firewall.chains.contains { chain in
          chain.rules.contains { $0.verdict == .drop && $0.exceptInterface != nil && $0.mayMeet(packet) }
        }
      guard fate == .dropped || isLikely else { continue }
      findings.append(
        Finding(
          "vpn-kill-switch", isLikely ? .warning : .fault,
          "The firewall \(isLikely ? "may drop" : "drops") what leaves by \(interface.name), as the kill switch of a VPN does.",
          next: "Allow the local network in the VPN's settings, or switch its kill switch off."))
      break
    }
    return findings
  }
}

extension NetworkInterface {
  /// A Boolean value that indicates whether the interface belongs to a private network, by its kind
  /// or name.
  var isTunnel: Bool {
    if isLoopback { return false }
    return isPointToPoint
      || ["wg", "tun", "tap", "ppp", "tailscale", "zt", "nordlynx", "proton", "mullvad"].contains {
        name.hasPrefix($0)
      }
  }
}
