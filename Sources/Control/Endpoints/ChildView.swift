import LatchkeyModel

// What a child's account gets of answers that contain more.

extension NodeStatus {
  /// Returns the state without what concerns other people: addresses, faults, former machines, and other children's use.
  ///
  /// - Parameter running: What runs of the child's.
  /// - Returns: The state for a child.
  func shown(running: [RunningNow]) -> NodeStatus {
    var status = self
    status.peers = peers.map { peer in
      PeerStatus(
        device: peer.device, isConnected: peer.isConnected, address: nil, sync: peer.sync, queues: peer.queues,
        lastError: nil)
    }
    status.former = []
    status.warnings = []
    status.running = running
    return status
  }
}

extension ChildApps {
  /// The applications without the rules that recognize their processes, which a child could evade.
  var shownToChild: ChildApps {
    var listing = self
    for index in listing.apps.indices {
      listing.apps[index].matchers = []
      listing.apps[index].rules = []
    }
    return listing
  }
}

extension FamilyRules {
  /// What holds, with the rule about the family's zone alone, in which times are shown.
  var shownToChild: FamilyRules {
    FamilyRules(settings: settings, rules: rules.filter { $0.key == "family/zone" }, untold: [])
  }
}

extension InstalledListing {
  /// Returns the listing with what is set for one child alone.
  func shown(to child: ServedChild) -> InstalledListing {
    var listing = self
    listing.children = children.filter { $0 == child.id }
    for index in listing.apps.indices { listing.apps[index].settings.removeAll { $0.childName != child.name } }
    return listing
  }
}
