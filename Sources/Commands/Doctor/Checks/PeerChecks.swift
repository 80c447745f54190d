import LatchkeyModel

extension Facts {
  /// Checks the path to one paired device.
  func checkPeer(_ findings: inout [Finding]) {
    guard let peer, case .running(_, let nearby) = node else { return }
    let (status, name) = (peer.status, "“\(peer.status.device.name)”")
    let announced = nearby?.members.first { $0.deviceID == status.device.deviceID }?.addresses ?? []
    findings += marks(status, name)
    guard !status.isConnected else {
      findings.add("peer-connected", .information, "\(name) is connected\(status.address.map { " (\($0))" } ?? "").")
      if announced.isEmpty, nearby?.discovery != DiscoveryBackend.fixed.rawValue {
        findings.add(
          "peer-unannounced", .warning,
          "\(name) is connected, but its announcements do not get here: multicast is lost on the way, as on some Wi-Fi.",
          next: "It stays reachable at the addresses that are known; switch off “client isolation” or “multicast "
            + "filtering” (IGMP snooping) in the router, or name it with `latchkey run --peer`.")
      }
      return
    }
    findings += ways(peer, name, announced)
    findings.append(lastSeen(status, name))
  }

  private func marks(_ status: PeerStatus, _ name: String) -> [Finding] {
    status.marks.compactMap { mark in
      switch mark {
      case .quarantined:
        Finding(
          "peer-quarantined", .fault, "\(name) is quarantined, because two live machines use its keys.",
          next: "Run `latchkey devices show \(status.device.deviceID.short)` for the way out.")
      case .removalUntold: Finding("peer-removed", .information, "\(name) is removed and has not heard of it yet.")
      case .neverConnected, .rotationOutstanding: nil
      }
    }
  }

  /// Returns the findings from the attempts at the device's addresses.
  private func ways(_ peer: PeerFacts, _ name: String, _ announced: [String]) -> [Finding] {
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
      findings.add(
        "peer-refused", .fault, "A machine answers at \(refused.address), but no node listens there.",
        next: "Start `latchkey run` on \(name), or see whether that address is another machine's now.")
    } else if probes.contains(where: { announced.contains($0.address) }) {
      findings.add(
        "client-isolation", .fault,
        "\(name) announces itself, but no connection to it comes about: its firewall drops them, or the Wi-Fi keeps its "
          + "clients apart.",
        next:
          "Run `latchkey doctor` there, and switch off “client isolation” (“AP isolation”, guest network) in the router."
      )
    } else if let far = outside(probes) {
      findings.append(far)
    }
    if let tunnelled = probes.first(where: { probe in
      interfaces.contains { $0.name == probe.interface && $0.isTunnel }
    }) {
      findings.add(
        "peer-through-vpn", .fault,
        "What goes to \(tunnelled.address) leaves by the VPN \(tunnelled.interface ?? ""), where \(name) is not.",
        next: "Let the VPN leave the local network alone (“allow LAN access”), or switch it off.")
    }
    if findings.isEmpty, let silent = probes.first(where: { isNear($0) }) {
      findings.add(
        "peer-silent", .fault,
        "Nothing answers at \(silent.address), which is in this machine's network, and \(name) does not announce itself: "
          + "it is off or elsewhere, or the Wi-Fi keeps its clients apart.",
        next: "See that it is on and in this network; if it is, switch off “client isolation” (“AP isolation”, guest "
          + "network) in the router.")
    }
    if probes.isEmpty {
      findings.add(
        "peer-no-address", .fault, "No address of \(name) is known, and it does not announce itself here.",
        next: "Start `latchkey run` there on the same network, or name it here with `latchkey run --peer host:port`.")
    }
    return findings
  }

  /// Returns whether an address lies in one of this machine's networks.
  private func isNear(_ probe: AddressProbe) -> Bool {
    guard let host = probe.host, !host.isLoopback, !host.isLinkLocal else { return false }
    return lanInterfaces.flatMap(\.subnets).contains { $0.contains(host) }
  }

  /// Returns a finding if all the device's addresses are outside of this machine's networks.
  private func outside(_ probes: [AddressProbe]) -> Finding? {
    let hosts = probes.compactMap(\.host).filter { $0.isV4 && $0.leadsElsewhere }
    let own = lanInterfaces.flatMap(\.subnets).filter { $0.address.isV4 }
    guard let first = hosts.first, !own.isEmpty, !hosts.contains(where: { host in own.contains { $0.contains(host) } })
    else { return nil }
    return Finding(
      "other-subnet", .fault,
      "It was last at \(first), which is in none of this machine's networks "
        + "(\(own.map(\.description).joined(separator: ", "))).",
      next: "Bring both into one network: a guest Wi-Fi, a second router or a VLAN keeps them apart.")
  }

  private func lastSeen(_ status: PeerStatus, _ name: String) -> Finding {
    let next = "See that it is switched on and `latchkey run` is running there."
    guard let seen = status.device.lastSeenAt, !status.marks.contains(.neverConnected) else {
      return Finding("peer-never-connected", .fault, "\(name) has not been connected since it was paired.", next: next)
    }
    let place = status.addresses.filter { $0.lastSuccessAt != nil }.max {
      $0.lastSuccessAt ?? 0 < $1.lastSuccessAt ?? 0
    }
    return Finding(
      "peer-unreachable", .fault,
      "\(name) has not been in touch for \(SpanText.of(clock.now - seen))"
        + (place.map { "; it was last reached at \($0.address)" } ?? "")
        + (place?.isOfThisNetwork == false ? ", on another network" : "") + ".",
      next: next)
  }

  /// Checks whether queues make progress.
  func checkQueues(_ findings: inout [Finding]) {
    // How long an item may wait for a connected machine and for an absent one, in milliseconds.
    let (stuck, old): (Int64, Int64) = (120_000, 7 * 86_400_000)
    for peer in status?.peers ?? [] {
      for queue in peer.queues {
        let id = peer.device.deviceID.short
        let what = ShownText.count(queue.waitingItems, "\(queue.streamClass.word) item")
        if let age = queue.oldestAgeMilliseconds, queue.waitingItems > 0 {
          if peer.isConnected, age > stuck {
            findings.add(
              "queue-stuck", .fault,
              "\(what) for “\(peer.device.name)” \(queue.waitingItems == 1 ? "has" : "have") not moved for \(SpanText.of(age)), though it is connected.",
              next: "Run `latchkey sync now \(id)`, and look at `latchkey doctor` and the disk there.")
          } else if age > old {
            findings.add(
              "queue-old", .warning,
              "\(what) for “\(peer.device.name)” \(queue.waitingItems == 1 ? "has" : "have") waited for \(SpanText.of(age)).",
              next: "Bring the two machines together, or remove it with `latchkey devices unpair \(id)`.")
          }
        }
        for tally in queue.undelivered where tally.fate == .dropped && tally.items > 0 {
          findings.add(
            "queue-dropped", .warning,
            "\(tally.items) \(queue.streamClass.word) items for “\(peer.device.name)” were dropped because its queue was full.",
            next: "Keep the machines in touch, or let more wait with `latchkey run --queue-items`.")
        }
      }
    }
  }
}
