/// The findings of `latchkey doctor`.
public struct Examination: Codable, Sendable, Hashable {
  /// The findings: first that about the node, then by descending severity.
  public var findings: [Finding]

  public init(_ facts: Facts) {
    let checks: [any Check] = [
      NodeCheck(), MachineCheck(), FolderCheck(), DiskCheck(), InterfaceCheck(), TunnelCheck(), FirewallCheck(),
      ResponderCheck(), MulticastCheck(), PeerCheck(), QueueCheck(), ClockCheck(), ConditionCheck(),
      ReceiverCheck(), PhoneCheck(),
    ]
    let first = NodeCheck().findings(facts)
    let rest = checks.dropFirst().flatMap { $0.findings(facts) }
    // Findings of equal severity keep the order of the checks.
    findings = first + Severity.allCases.sorted(by: >).flatMap { severity in rest.filter { $0.severity == severity } }
  }

  /// The highest severity; `nil` if there are no findings.
  public var worst: Severity? { findings.map(\.severity).max() }
}

/// A check, which derives findings about one subject from the facts without access to the machine.
protocol Check: Sendable {
  func findings(_ facts: Facts) -> [Finding]
}
