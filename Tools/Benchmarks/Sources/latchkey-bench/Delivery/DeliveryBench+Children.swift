import Foundation
import LatchkeyModel

extension DeliveryBench {
  /// Measures many children connected to one parent: its memory for each child, and one command to
  /// all.
  func manyChildren() throws -> Result {
    let measured = try fleetMeasured()
    let broker = try broker()
    defer { broker.stop() }
    let before = try broker.cost().residentBytes
    let clients = try broker.fleet(children)
    defer { clients.kill() }
    let after = try broker.cost().residentBytes
    var published = Durations()
    for _ in 0..<max(3, rounds) {
      try clients.write("go")
      let times = try clients.read("all").compactMap { Int64($0) }
      published.record(times[1] - times[0])
    }
    let each = Double(measured.after - measured.before) / Double(children) / 1e3
    let theirs = Double(after - before) / Double(children) / 1e3
    let seconds = measured.secondsToAll
    return Result(
      rows: [
        BenchRow(
          "\(children) children: the parent's memory for each", each, "KB", peer: theirs, target: "less than 24 KB",
          met: each < 24),
        BenchRow("  in all", Double(measured.after) / 1e6, "MB", peer: Double(after) / 1e6),
        BenchRow(
          "  one command to all, until all stored", seconds, "s", peer: published.median / 1e3, target: "under 2 s",
          met: seconds < 2),
      ],
      note: "The children are real nodes with a database each, \(NodeFleet.nodesPerProcess) in a process.")
  }

  /// The measurements of one fleet, from which two figures are made.
  struct FleetMeasured {
    /// The bytes of the parent's memory without a child, and with all.
    var before: Int64
    var after: Int64
    /// The median time from one command to all until all have stored it.
    var secondsToAll: Double
    /// The parent's processor time for each copy of a command, in microseconds, with a tenth of the
    /// children and with all.
    var costs: (few: Double, many: Double)
  }

  func fleetMeasured() throws -> FleetMeasured {
    if let measured { return measured }
    let few = try NodeFleet(folder: fresh("few"), children: children / 10, tell: tell)
    defer { few.end() }
    let many = try NodeFleet(folder: fresh("fleet"), children: children, tell: tell)
    defer { many.end() }
    let memory = try many.memory()
    // The first command takes longer.
    for fleet in [few, many] { _ = try costToAll(fleet, 1) }
    // In turns, since the machine's speed changes.
    var (ofFew, ofMany, seconds): ([Double], [Double], [Double]) = ([], [], [])
    for _ in 0..<max(3, rounds) {
      ofFew.append(try costToAll(few, 10).cost)
      let one = try costToAll(many, 1)
      ofMany.append(one.cost)
      seconds.append(one.seconds)
    }
    let result = FleetMeasured(
      before: memory.before, after: memory.after, secondsToAll: seconds.median, costs: (ofFew.median, ofMany.median))
    measured = result
    return result
  }

  private func costToAll(_ fleet: NodeFleet, _ count: Int) throws -> (cost: Double, seconds: Double) {
    let before = try ProcessCost.of(fleet.parent.id).seconds
    let answer = try fleet.parent.ask("all \(count) \(size)", "all")
    let cost = try ProcessCost.of(fleet.parent.id).seconds - before
    return (cost / Double(count * fleet.children) * 1e6, Double(answer[1]) / 1e6)
  }
}
