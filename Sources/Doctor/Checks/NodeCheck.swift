/// Whether the node runs, and what it says of itself.
struct NodeCheck: Check {
  func findings(_ facts: Facts) -> [Finding] {
    switch facts.node {
    case .absent(let sentence):
      let (fault, next) = Sentences.split(sentence)
      return [Finding("node-not-running", .fault, fault, next: next)]
    case .running(let status, _):
      return status.warnings.map { Finding("node-warning", .warning, $0, next: "See `latchkey status`.") }
    }
  }
}
