import LatchkeySystem

/// The interfaces that discovery uses, chosen among those of the machine.
///
/// Spec: Protocol/02-discovery.md §6.
struct InterfaceSelection: Equatable {
  /// The interfaces that are used, at most 16.
  let interfaces: [NetworkInterface]
  /// The reason why no interface is used, as a sentence with the next step; `nil` if one is.
  let problem: String?

  /// Chooses the interfaces of these names; with `nil`, all suitable ones.
  ///
  /// `NetworkInterface.exclusion` is the rule. If the machine has nothing but loopback, as in a
  /// container without a network, that is used.
  init(names: [String]?, available: [NetworkInterface]) {
    let usable = available.filter { $0.isUp && !$0.subnets.isEmpty }
    var chosen = available.filter { $0.exclusion(names: names) == nil }
    if names == nil, chosen.isEmpty, usable.allSatisfy(\.isLoopback) { chosen = usable }
    interfaces = Array(chosen.prefix(DiscoveryLimits.interfaces))
    problem = interfaces.isEmpty ? Self.problem(names: names, usable: usable) : nil
  }

  private static func problem(names: [String]?, usable: [NetworkInterface]) -> String {
    let up = usable.isEmpty ? "none" : usable.map(\.name).joined(separator: ", ")
    guard let names else {
      return "No network interface is suited for discovery; connect one, or name one with --interfaces (up: \(up))."
    }
    return "None of the interfaces \(names.joined(separator: ", ")) is up with an address; "
      + "bring it up, or name another with --interfaces (up: \(up))."
  }
}

extension NetworkInterface {
  /// Returns this machine's interfaces with the addresses that are announced there, sorted, at most
  /// 16 each; of the loopback interface, only those at which a node listens.
  static func announceable() -> [NetworkInterface] {
    (all() ?? []).map { interface in
      var interface = interface
      interface.subnets = Array(
        interface.subnets.filter { !interface.isLoopback || $0.address.isLocalhost }
          .sorted { $0.address.bytes.lexicographicallyPrecedes($1.address.bytes) }
          .prefix(DiscoveryLimits.ownAddresses))
      return interface
    }
  }
}
