import LatchkeySystem

/// The check of which interfaces the node searches, and why it does not search the others.
struct InterfaceCheck: Check {
  func findings(_ facts: Facts) -> [Finding] {
    var findings: [Finding] = []
    let used = facts.lanInterfaces
    if let chosen = facts.chosenInterfaces, used.isEmpty {
      findings.append(
        Finding(
          "interfaces-unusable", .fault,
          "`latchkey run --interfaces` names \(chosen.joined(separator: ", ")), and nothing of it can be used here.",
          next: "Name others (`ip address` shows which there are), or leave `--interfaces` out."))
    } else if used.isEmpty {
      findings.append(
        Finding(
          "no-interface", .fault, "This machine is on no network on which others could be found.",
          next: "Connect it by cable or Wi-Fi, or name an interface with `latchkey run --interfaces NAME`."))
    } else {
      let names = used.map { "\($0.name) (\($0.subnets.map(\.description).joined(separator: ", ")))" }
      findings.append(
        Finding("interfaces", .information, "Machines are looked for on \(names.joined(separator: ", "))."))
    }
    for interface in facts.interfaces where !interface.isLoopback {
      guard let exclusion = interface.exclusion(names: facts.chosenInterfaces) else {
        if !interface.isRunning {
          findings.append(
            Finding(
              "interface-down", .warning, "\(interface.name) is switched on and has no link.",
              next: "Plug its cable in, or join the Wi-Fi network."))
        }
        continue
      }
      findings.append(
        Finding(
          "interface-left-out", .information, "\(interface.name) is left out: \(Self.reason(exclusion, interface)).",
          next: facts.chosenInterfaces != nil ? "" : "To use it all the same, name it with `latchkey run --interfaces`."
        ))
    }
    return findings
  }

  /// Returns the reason why an interface is not used, as a clause.
  private static func reason(_ exclusion: NetworkInterface.Exclusion, _ interface: NetworkInterface) -> String {
    switch exclusion {
    case .loopback: "it leads to this machine alone"
    case .off: "it is switched off"
    case .virtual: "it belongs to containers or virtual machines"
    case .pointToPoint: "it joins two points only, as tunnels do"
    case .noMulticast: "it carries no multicast"
    case .noAddress:
      interface.isRunning ? "it has no address" : "its cable is not plugged in, or it is in no network"
    case .notNamed: "`latchkey run --interfaces` names others"
    }
  }
}
