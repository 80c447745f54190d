import Foundation

extension DeliveryBench {
  /// Measures durable messages from end to end, with a fixed number in flight, in turns with the
  /// broker.
  func throughput() throws -> Result {
    let nodes = try pair()
    defer { nodes.end() }
    var (commands, usage, commandCost, usageCost): ([Double], [Double], [Double], [Double]) = ([], [], [], [])
    var windows: [Int: [Double]] = [:]
    var brokerCost: [Double] = []
    for _ in 0..<rounds {
      for (worker, word) in [(nodes.parent, "relay"), (nodes.child, "report")] {
        let before = try nodes.seconds()
        let times = try worker.ask("\(word) \(messages) \(size) \(concurrency)", "relayed")
        let rate = Double(messages) / (Double(times[1] - times[0]) / 1e6)
        let cost = (try nodes.seconds() - before) / Double(messages) * 1e6
        if word == "relay" {
          commands.append(rate)
          commandCost.append(cost)
        } else {
          usage.append(rate)
          usageCost.append(cost)
        }
      }
      // The window that has suited the broker worst so far is left out.
      let worst = windows.min { $0.value.median < $1.value.median }?.key
      for window in Self.windows(concurrency) where window != worst {
        let (rate, cost) = try brokerRate(window)
        windows[window, default: []].append(rate)
        brokerCost.append(cost)
      }
      tell("  \(Int(commands.last ?? 0)) commands/s, \(Int(usage.last ?? 0)) records/s, the broker \(windows)")
    }
    // The window that suits the broker best.
    let best = windows.mapValues(\.median).max { $0.value < $1.value }
    let peer = best?.value ?? 0
    return Result(
      rows: [
        BenchRow(
          "durable end-to-end, \(size) B, parent to child (commands)", commands.median, "messages/s", peer: peer,
          target: "at least 2 ×", met: commands.median >= 2 * peer),
        BenchRow(
          "  child to parent (records of use)", usage.median, "messages/s", peer: peer, target: "at least 2.5 ×",
          met: usage.median >= 2.5 * peer),
        BenchRow("  processor time, commands", commandCost.median, "µs/message", peer: brokerCost.min()),
        BenchRow("  processor time, records of use", usageCost.median, "µs/message", peer: brokerCost.min()),
      ],
      note:
        "\(messages) messages, \(concurrency) under way; from the first asked for to the last reported stored. A command is "
        + "also executed and answered by a receipt, a second durable message; a record of use is not. The broker's window "
        + "was \(best?.key ?? 0), the best of \(Self.windows(concurrency)) for it; until the subscriber had all."
    )
  }

  private static func windows(_ concurrency: Int) -> [Int] { [20, 200, concurrency] }

  /// Returns the messages a second through the broker, until the subscriber has all, and the
  /// processor time for each in microseconds.
  private func brokerRate(_ window: Int) throws -> (rate: Double, cost: Double) {
    let broker = try broker()
    defer { broker.stop() }
    try broker.join()
    let receiver = try broker.receiver(messages)
    _ = try receiver.read("ready")
    let publisher = try broker.publisher(messages, size: size, window: window)
    let before = try broker.cost().seconds
    try publisher.write("go")
    let received = try receiver.read("received").compactMap { Int64($0) }
    let published = try publisher.read("published").compactMap { Int64($0) }
    let seconds = try broker.cost().seconds - before
    let clients = [received, published].reduce(0) { $0 + ($1.last ?? 0) }
    publisher.end()
    receiver.end()
    let rate = Double(messages) / (Double(received[2] - published[0]) / 1e6)
    return (rate, (seconds * 1e6 + Double(clients)) / Double(messages))
  }
}
