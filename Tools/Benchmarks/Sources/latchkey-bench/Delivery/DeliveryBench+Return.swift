import Foundation
import LatchkeyModel

extension DeliveryBench {
  /// Measures the start of a child's `latchkey run` while messages are pending for it.
  func comingBack() async throws -> Result {
    let nodes = try pair()
    defer { nodes.end() }
    let broker = try broker()
    defer { broker.stop() }
    try broker.join()
    var (ours, theirs) = (Durations(), Durations())
    nodes.endChild()
    for _ in 0..<max(5, rounds * 5) {
      let issued = try nodes.parent.ask("issue 10 \(size) 1", "issued")
      let began = Durations.now()
      let child = try NodeProcess.resume(tool: tool, folder: nodes.childFolder)
      defer {
        child.terminate()
        child.waitUntilExit()
      }
      // The first of the ten messages.
      let stored = try nodes.parent.ask("stored \(issued[2] - 10)", "stored")
      ours.record(stored[0] - began)
      _ = try nodes.parent.ask("stored \(issued[2] - 1)", "stored")
      let publisher = try broker.publisher(10, size: size, window: 10)
      try publisher.write("go")
      _ = try publisher.read("published")
      publisher.end()
      let theirBegan = Durations.now()
      let receiver = try broker.receiver(10)
      let times = try receiver.read("received").compactMap { Int64($0) }
      receiver.end()
      theirs.record(times[1] - theirBegan)
    }
    return Result(
      rows: [
        BenchRow(
          "process back to first queued stored, median", ours.median, "ms", peer: theirs.median,
          target: "at most 1.2 ×", met: ours.median <= 1.2 * theirs.median)
      ],
      note:
        "Ten messages wait. From the start of `latchkey run` until the parent hears that the first is stored; the broker's: "
        + "from the start of the subscriber's process to its first message, in its memory.")
  }
}
