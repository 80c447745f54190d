import Foundation

extension DeliveryBench {
  /// Measures the processor time of a message with ten times the queue, the peers, and the history.
  func growth() throws -> Result {
    let queue = try (few: grownQueue(messages / 10), many: grownQueue(messages))
    tell("  queue \(queue)")
    let history = try grownHistory()
    tell("  history \(history)")
    let peers = try fleetMeasured().costs
    return Result(
      rows: [
        Self.grown("10 × the queue (\(messages)): cost of a message", queue),
        Self.grown("10 × the peers (\(children)): cost of a message", peers),
        Self.grown("10 × the history (\(messages * 2)): cost of a message", history),
      ],
      note:
        "Processor time of parent and child together for a message, with peers the parent's alone; the second column is the "
        + "same with a tenth.")
  }

  private static func grown(_ name: String, _ costs: (few: Double, many: Double)) -> BenchRow {
    BenchRow(
      name, costs.many, "µs", peer: costs.few, target: "at most 1.3 ×", met: costs.many <= 1.3 * costs.few)
  }

  private func grownQueue(_ count: Int) throws -> Double {
    var costs: [Double] = []
    for _ in 0..<min(rounds, 3) { costs.append(try drained(count).cost / Double(count) * 1e6) }
    return costs.median
  }

  private func grownHistory() throws -> (few: Double, many: Double) {
    let nodes = try pair()
    defer { nodes.end() }
    let few = messages / 5
    _ = try nodes.parent.ask("relay \(few) \(size) \(concurrency)", "relayed")
    let first = try costOfRelay(nodes, few)
    _ = try nodes.parent.ask("relay \(few * 8) \(size) \(concurrency)", "relayed")
    return (first, try costOfRelay(nodes, few))
  }

  private func costOfRelay(_ nodes: NodePair, _ count: Int) throws -> Double {
    let before = try nodes.seconds()
    _ = try nodes.parent.ask("relay \(count) \(size) \(concurrency)", "relayed")
    return (try nodes.seconds() - before) / Double(count) * 1e6
  }
}
