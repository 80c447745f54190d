import LatchkeyModel

/// The check of whether the node runs, with the node's own warnings.
struct NodeCheck: Check {
  func findings(_ facts: Facts) -> [Finding] {
    switch facts.node {
    case .absent(let sentence):
      let (fault, next) = Self.split(sentence)
      return [Finding("node-not-running", .fault, fault, next: next)]
    case .running(let status, _):
      // What the machine reports to parents as well is told with its conditions.
      let own = Set(facts.conditions.filter(\.isOwn).compactMap { ConditionKind.named($0.condition.name)?.ownWarning })
      return status.warnings.filter { !own.contains($0) }.map {
        Finding("node-warning", .warning, $0, next: "See `latchkey status`.")
      }
    }
  }

  /// Splits a sentence of the form “fault: next step” at its colon.
  private static func split(_ sentence: String) -> (fault: String, next: String) {
    guard let colon = sentence.range(of: ": ") else { return (sentence, "") }
    let next = String(sentence[colon.upperBound...])
    return (sentence[..<colon.lowerBound] + ".", next.prefix(1).uppercased() + next.dropFirst())
  }
}

/// The check of whether the state folder was made on this machine.
struct MachineCheck: Check {
  func findings(_ facts: Facts) -> [Finding] {
    switch facts.machine {
    case .same, .unreadable: return []
    case .other:
      return [
        Finding(
          "other-machine", .fault,
          "The state folder comes from another machine, or this machine's /etc/machine-id has changed.",
          next:
            "Run `latchkey identity keep` if this machine takes that one's place, or `latchkey identity renew` if the "
            + "folder is a copy.")
      ]
    case .unknown:
      return [
        Finding(
          "machine-unknown", .information,
          "This machine has no /etc/machine-id, so a copy of the state folder would not be noticed.",
          next: "Make one with `systemd-machine-id-setup` unless this is a container.")
      ]
    }
  }
}
