/// Decides which interfaces discovery uses.
///
/// Spec: Protocol/02-discovery.md §6
struct InterfaceSelection: Equatable {
  /// What is used, at most 16.
  let interfaces: [NetworkInterface]

  /// Why nothing is used, as a sentence with the next step; nil when something is.
  let problem: String?

  /// Choose among what the machine has.
  ///
  /// An interface needs to be up and to have an address. Unless named, loopback, virtual and point-to-point ones and
  /// those without multicast are left out; where only loopback remains, as in a container without network, it is used.
  ///
  /// - Parameters:
  ///   - names: the wanted names, or nil for all suitable ones.
  ///   - available: what the machine has.
  init(names: [String]?, available: [NetworkInterface]) {
    let usable = available.filter { $0.isUp && !$0.addresses.isEmpty }
    var chosen: [NetworkInterface]
    if let names {
      chosen = usable.filter { names.contains($0.name) }
    } else {
      chosen = usable.filter {
        !$0.isLoopback && $0.isMulticast && !$0.isPointToPoint && !Self.isVirtual($0.name)
      }
      if chosen.isEmpty, usable.allSatisfy(\.isLoopback) { chosen = usable }
    }
    interfaces = Array(chosen.prefix(DiscoveryLimits.interfaces))
    problem = interfaces.isEmpty ? Self.problem(names: names, usable: usable) : nil
  }

  /// Tell the interfaces of container and virtual machine managers by their names.
  ///
  /// - Parameter name: as `ip link` shows it.
  static func isVirtual(_ name: String) -> Bool {
    ["docker", "br-", "veth", "virbr", "cni"].contains { name.hasPrefix($0) }
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
