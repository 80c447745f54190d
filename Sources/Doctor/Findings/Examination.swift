/// The findings of `latchkey doctor`.
public struct Examination: Codable, Sendable, Hashable {
  /// The findings: the one about the node first, then the worst first.
  public var findings: [Finding]

  /// Creates an examination of the facts.
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

  /// The worst severity; `nil` if nothing was found.
  public var worst: Severity? { findings.map(\.severity).max() }
}

/// A check that judges one matter by the facts, without looking at the machine itself.
protocol Check: Sendable {
  /// Returns what the check finds, in the order of the sentences.
  func findings(_ facts: Facts) -> [Finding]
}
