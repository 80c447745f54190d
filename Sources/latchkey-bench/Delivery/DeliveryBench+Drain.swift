import Foundation

extension DeliveryBench {
  /// What was queued while the other side was away, from its return until it has all.
  func drain() throws -> Result {
    var (ours, theirs, last): ([Double], [Double], [Double]) = ([], [], [])
    for _ in 0..<rounds {
      let drained = try drained(messages)
      ours.append(Double(messages) / drained.seconds)
      last.append(drained.seconds)
      theirs.append(Double(messages) / (try brokerDrain()))
      tell("  \(Int(ours.last ?? 0)) messages/s, the broker \(Int(theirs.last ?? 0))")
    }
    return Result(
      rows: [
        BenchRow(
          "drain of \(messages) queued after the peer's return", ours.median, "messages/s", peer: theirs.median,
          target: "at least 1 ×", met: ours.median >= theirs.median)
      ],
      note:
        "Commands of \(size) B; from the start of the child's process to the last stored (\(String(format: "%.1f", last.median)) s). "
        + "The broker: from the start of the subscriber's process to its last message, queued in its memory.")
  }

  /// Seconds that a queue takes, and the processor's seconds of both sides.
  func drained(_ count: Int) throws -> (seconds: Double, cost: Double) {
    let nodes = try pair()
    defer { nodes.end() }
    nodes.endChild()
    let issued = try nodes.parent.ask("issue \(count) \(size) \(concurrency)", "issued")
    let before = try ProcessCost.of(nodes.parent.id).seconds
    let began = Durations.now()
    try nodes.startChild()
    let stored = try nodes.parent.ask("stored \(issued[2] - 1)", "stored")
    return (Double(stored[0] - began) / 1e6, try nodes.seconds() - before)
  }

  private func brokerDrain() throws -> Double {
    let broker = try broker()
    defer { broker.stop() }
    try broker.join()
    let publisher = try broker.publisher(messages, size: size, window: 200)
    try publisher.write("go")
    _ = try publisher.read("published")
    publisher.end()
    let began = Durations.now()
    let receiver = try broker.receiver(messages)
    let times = try receiver.read("received").compactMap { Int64($0) }
    receiver.end()
    return Double(times[2] - began) / 1e6
  }
}
