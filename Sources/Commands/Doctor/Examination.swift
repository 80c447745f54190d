/// The findings of `latchkey doctor`.
public struct Examination: Codable, Sendable, Hashable {
  /// The findings: those about the node, then the others by descending severity.
  public var findings: [Finding] = []

  /// Derives the findings from the facts, without access to the machine.
  init(_ facts: Facts) {
    facts.checkNode(&findings)
    var others: [Finding] = []
    for check in [
      facts.checkMachine, facts.checkFolder, facts.checkDisk, facts.checkInterfaces, facts.checkTunnels,
      facts.checkFirewall, facts.checkResponders, facts.checkMulticast, facts.checkPeer, facts.checkQueues,
      facts.checkClocks, facts.checkConditions, facts.checkReceivers, facts.checkPhones,
    ] { check(&others) }
    // Findings of equal severity keep the order of the checks.
    findings += Severity.allCases.reversed().flatMap { severity in others.filter { $0.severity == severity } }
  }

  /// The highest severity; `nil` if there are no findings.
  var worst: Severity? { findings.map(\.severity).max() }
}

/// A finding of an examination.
public struct Finding: Codable, Sendable, Hashable {
  /// The name of the finding for programs: lower-case words joined by `-`.
  public var id: String
  public var severity: Severity
  public var sentence: String
  /// The next step; empty if there is nothing to do.
  public var next: String

  init(_ id: String, _ severity: Severity, _ sentence: String, next: String = "") {
    (self.id, self.severity, self.sentence, self.next) = (id, severity, sentence, next)
  }
}

extension [Finding] {
  mutating func add(_ id: String, _ severity: Severity, _ sentence: String, next: String = "") {
    append(Finding(id, severity, sentence, next: next))
  }
}

/// The severity of a finding, in ascending order.
public enum Severity: String, Codable, Sendable, Hashable, CaseIterable, Comparable {
  /// Nothing is wrong.
  case information
  /// The subject could not be examined.
  case unchecked
  /// The finding may prevent connections between machines, or soon will.
  case warning
  /// The finding prevents connections between machines, or endangers stored data.
  case fault

  public static func < (one: Severity, other: Severity) -> Bool {
    one != other && allCases.first { [one, other].contains($0) } == one
  }
}
