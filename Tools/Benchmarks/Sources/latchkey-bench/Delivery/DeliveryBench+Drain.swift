import Foundation

extension DeliveryBench {
  /// Measures a queue from the return of the other side until it has everything.
  func drain() throws -> Result {
    var (ours, usage, theirs): ([Double], [Double], [Double]) = ([], [], [])
    for _ in 0..<rounds {
      ours.append(Double(messages) / (try drained(messages).seconds))
      usage.append(Double(messages) / (try drainedUsage(messages)))
      theirs.append(Double(messages) / (try brokerDrain()))
      tell(
        "  \(Int(ours.last ?? 0)) commands/s, \(Int(usage.last ?? 0)) records/s, the broker \(Int(theirs.last ?? 0))")
    }
    return Result(
      rows: [
        BenchRow(
          "drain of \(messages) queued after the peer's return (commands)", ours.median, "messages/s",
          peer: theirs.median, target: "at least 1 ×", met: ours.median >= theirs.median),
        BenchRow(
          "  records of use, after the parent's return", usage.median, "messages/s", peer: theirs.median,
          target: "at least 1.5 ×", met: usage.median >= 1.5 * theirs.median),
      ],
      note:
        "\(size) B each; from the start of the process that was away to the last stored. Commands are also executed and "
        + "answered by receipts meanwhile. The broker: from the start of the subscriber's process to its last message, queued in its memory."
    )
  }

  /// Returns the duration of a queue in seconds, and the processor time of both sides.
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

  /// Returns the seconds that a child's queue takes once its parent is back.
  private func drainedUsage(_ count: Int) throws -> Double {
    let nodes = try pair()
    defer { nodes.end() }
    let port = try nodes.endParent()
    let kept = try nodes.child.ask("keep \(count) \(size) \(concurrency)", "issued")
    let began = Durations.now()
    try nodes.startParent(port: port)
    let stored = try nodes.child.ask("kept \(kept[2] - 1)", "stored")
    return Double(stored[0] - began) / 1e6
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
