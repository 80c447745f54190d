import Foundation
import LatchkeyModel

extension DeliveryBench {
  /// Many children connected to one parent: its memory for each, and one command to all.
  func manyChildren() throws -> Result {
    let fleet = try NodeFleet(folder: fresh("fleet"), children: children, tell: tell)
    defer { fleet.end() }
    let memory = try fleet.memory()
    let all = try fleet.parent.ask("all \(max(3, rounds)) \(size)", "all")
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
    let each = Double(memory.after - memory.before) / Double(children) / 1e3
    let theirs = Double(after - before) / Double(children) / 1e3
    let seconds = Double(all[1]) / 1e6
    return Result(
      rows: [
        BenchRow(
          "\(children) children: the parent's memory for each", each, "KB", peer: theirs, target: "less",
          met: each < theirs),
        BenchRow("  in all", Double(memory.after) / 1e6, "MB", peer: Double(after) / 1e6),
        BenchRow(
          "  one command to all, until all stored", seconds, "s", peer: published.median / 1e3, target: "under 2 s",
          met: seconds < 2),
      ],
      note: "The children are real nodes with a database each, \(NodeFleet.nodesPerProcess) in a process.")
  }
}
