/// The check of whether the node runs, with the node's own warnings.
struct NodeCheck: Check {
  func findings(_ facts: Facts) -> [Finding] {
    switch facts.node {
    case .absent(let sentence):
      let (fault, next) = Self.split(sentence)
      return [Finding("node-not-running", .fault, fault, next: next)]
    case .running(let status, _):
      // What the machine tells its parents as a condition is found by that.
      let told = Set(facts.conditions.filter(\.isOwn).map(\.condition.name))
      return status.warnings.filter { warning in !Self.repeats(told, warning) }
        .map { Finding("node-warning", .warning, $0, next: "See `latchkey status`.") }
    }
  }

  /// Words of the node's warnings that are conditions as well, with the names of those.
  private static let conditions = [
    ("Rules are in force for the programs of Latchkey's own account only", "own-programs-only"),
    ("The kernel does not tell the agent of programs", "no-process-events"),
    ("No agent runs on this machine", "agent-silent"), ("The agent's orders were damaged", "orders-damaged"),
    ("Log-ins were let through", "logins-let-through"), ("The agent cannot write its orders", "orders-not-kept"),
    ("The child's sessions cannot be closed here", "cannot-close-sessions"),
    ("Programs cannot be paused here", "cannot-pause"), ("There are more rules than the agent takes", "too-many-rules"),
    ("This machine has no account with the number", "rule-no-account"),
    ("is a program that the system needs, and is not closed as", "rule-needed-program"),
    ("would recognize every program as", "rule-matches-everything"), ("cannot recognize", "rule-bad-matcher"),
  ]

  private static func repeats(_ told: Set<String>, _ warning: String) -> Bool {
    conditions.contains { warning.contains($0.0) && told.contains($0.1) }
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
