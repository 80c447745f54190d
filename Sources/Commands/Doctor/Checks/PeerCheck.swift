import LatchkeyModel

/// The check of the path to one paired device.
struct PeerCheck: Check {
  func findings(_ facts: Facts) -> [Finding] {
    guard let peer = facts.peer, case .running(_, let nearby) = facts.node else { return [] }
    let (status, name) = (peer.status, "“\(peer.status.device.name)”")
    let announced = nearby?.members.first { $0.deviceID == status.device.deviceID }?.addresses ?? []
    var findings = marks(status, name)
    if status.isConnected {
      findings.append(
        Finding("peer-connected", .information, "\(name) is connected\(status.address.map { " (\($0))" } ?? "")."))
      if announced.isEmpty, nearby?.discovery != DiscoveryBackend.fixed.rawValue {
        findings.append(
          Finding(
            "peer-unannounced", .warning,
            "\(name) is connected, but its announcements do not get here: multicast is lost on the way, as on some Wi-Fi.",
            next: "It stays reachable at the addresses that are known; switch off “client isolation” or “multicast "
              + "filtering” (IGMP snooping) in the router, or name it with `latchkey run --peer`."))
      }
      return findings
    }
    findings += ways(peer, name, announced, facts)
    findings.append(lastSeen(status, name, facts.clock.now))
    return findings
  }

  private func marks(_ status: PeerStatus, _ name: String) -> [Finding] {
    status.marks.compactMap { mark in
      switch mark {
      case .quarantined:
        Finding(
          "peer-quarantined", .fault, "\(name) is quarantined, because two live machines use its keys.",
          next: "Run `latchkey devices show \(status.device.deviceID.short)` for the way out.")
      case .removalUntold:
        Finding("peer-removed", .information, "\(name) is removed and has not heard of it yet.")
      case .neverConnected, .rotationOutstanding: nil
      }
    }
  }

  /// Returns the findings from the attempts at the device's addresses.
  private func ways(_ peer: PeerFacts, _ name: String, _ announced: [String], _ facts: Facts) -> [Finding] {
    let probes = peer.probes
    if let open = probes.first(where: { $0.outcome == .connected }) {
      return [
        Finding(
          "peer-no-session", .fault,
          "Somebody answers at \(open.address), but no session with \(name) comes about"
            + (peer.status.lastError.map { " (\($0))" } ?? "") + ".",
          next: "Run `latchkey doctor` there; if it has forgotten this machine, run `latchkey pair` on both.")
      ]
    }
    var findings: [Finding] = []
    if let refused = probes.first(where: { $0.outcome == .refused }) {
      findings.append(
        Finding(
          "peer-refused", .fault, "A machine answers at \(refused.address), but no node listens there.",
          next: "Start `latchkey run` on \(name), or see whether that address is another machine's now."))
    } else if probes.contains(where: { announced.contains($0.address) }) {
      findings.append(
        Finding(
          "client-isolation", .fault,
          "\(name) announces itself, but no connection to it comes about: its firewall drops them, or the Wi-Fi keeps its "
            + "clients apart.",
          next:
            "Run `latchkey doctor` there, and switch off “client isolation” (“AP isolation”, guest network) in the router."
        ))
    } else if let far = outside(probes, facts) {
      findings.append(far)
    }
    if let tunnelled = probes.first(where: { probe in
      facts.interfaces.contains { $0.name == probe.interface && $0.isTunnel }
    }) {
      findings.append(
        Finding(
          "peer-through-vpn", .fault,
          "What goes to \(tunnelled.address) leaves by the VPN \(tunnelled.interface ?? ""), where \(name) is not.",
          next: "Let the VPN leave the local network alone (“allow LAN access”), or switch it off."))
    }
    if findings.isEmpty, let silent = probes.first(where: { isNear($0, facts) }) {
      findings.append(
        Finding(
          "peer-silent", .fault,
          "Nothing answers at \(silent.address), which is in this machine's network, and \(name) does not announce itself: "
            + "it is off or elsewhere, or the Wi-Fi keeps its clients apart.",
          next: "See that it is on and in this network; if it is, switch off “client isolation” (“AP isolation”, guest "
            + "network) in the router."))
    }
    if probes.isEmpty {
      findings.append(
        Finding(
          "peer-no-address", .fault, "No address of \(name) is known, and it does not announce itself here.",
          next: "Start `latchkey run` there on the same network, or name it here with `latchkey run --peer host:port`.")
      )
    }
    return findings
  }

  /// Returns whether an address lies in one of this machine's networks.
  private func isNear(_ probe: AddressProbe, _ facts: Facts) -> Bool {
    guard let host = probe.host, !host.isLoopback, !host.isLinkLocal else { return false }
    return facts.lanInterfaces.flatMap(\.subnets).contains { $0.contains(host) }
  }

  /// Returns a finding if all the device's addresses are outside of this machine's networks.
  private func outside(_ probes: [AddressProbe], _ facts: Facts) -> Finding? {
    let hosts = probes.compactMap(\.host).filter { $0.isV4 && $0.leadsElsewhere }
    let own = facts.lanInterfaces.flatMap(\.subnets).filter { $0.address.isV4 }
    guard let first = hosts.first, !own.isEmpty, !hosts.contains(where: { host in own.contains { $0.contains(host) } })
    else { return nil }
    return Finding(
      "other-subnet", .fault,
      "It was last at \(first), which is in none of this machine's networks "
        + "(\(own.map(\.description).joined(separator: ", "))).",
      next: "Bring both into one network: a guest Wi-Fi, a second router or a VLAN keeps them apart.")
  }

  private func lastSeen(_ status: PeerStatus, _ name: String, _ now: Int64) -> Finding {
    let next = "See that it is switched on and `latchkey run` is running there."
    guard let seen = status.device.lastSeenAt, !status.marks.contains(.neverConnected) else {
      return Finding("peer-never-connected", .fault, "\(name) has not been connected since it was paired.", next: next)
    }
    let place = status.addresses.filter { $0.lastSuccessAt != nil }.max {
      $0.lastSuccessAt ?? 0 < $1.lastSuccessAt ?? 0
    }
    return Finding(
      "peer-unreachable", .fault,
      "\(name) has not been in touch for \(SpanText.of(now - seen))"
        + (place.map { "; it was last reached at \($0.address)" } ?? "")
        + (place?.isOfThisNetwork == false ? ", on another network" : "") + ".",
      next: next)
  }
}
