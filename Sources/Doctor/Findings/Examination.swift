/// What `latchkey doctor` found.
public struct Examination: Codable, Sendable, Hashable {
  /// Whether the node comes first, then the worst first.
  public var findings: [Finding]

  /// Judge the facts.
  public init(_ facts: Facts) {
    let checks: [any Check] = [
      NodeCheck(), MachineCheck(), FolderCheck(), DiskCheck(), InterfaceCheck(), TunnelCheck(), FirewallCheck(),
      ResponderCheck(), MulticastCheck(), PeerCheck(), QueueCheck(), ClockCheck(),
    ]
    let first = NodeCheck().findings(facts)
    let rest = checks.dropFirst().flatMap { $0.findings(facts) }
    // A stable order: of one severity, that of the checks.
    findings = first + Severity.allCases.sorted(by: >).flatMap { severity in rest.filter { $0.severity == severity } }
  }

  /// The worst severity; nil when nothing was found.
  public var worst: Severity? { findings.map(\.severity).max() }
}
