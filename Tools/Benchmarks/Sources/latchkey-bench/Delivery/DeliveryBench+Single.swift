import Foundation

extension DeliveryBench {
  /// Measures one message at a time, in turns with the disk and loopback alone.
  func single() throws -> Result {
    let nodes = try pair()
    defer { nodes.end() }
    let floor = try DiskAndLoopback(folder: folder)
    defer { floor.close() }
    var (asked, accepted, peer): ([Double], [Double], [Double]) = ([], [], [])
    for _ in 0..<max(5, rounds * 2) {
      let answer = try nodes.parent.ask("relay 400 \(size) 1", "relayed")
      asked.append(Double(answer[2]) / 1e3)
      accepted.append(Double(answer[4]) / 1e3)
      peer.append(try floor.measure(400).median)
    }
    return Result(
      rows: [
        BenchRow(
          "accepted to stored, one at a time, median", accepted.median, "ms", peer: peer.median,
          target: "at most 1.3 ×", met: accepted.median <= 1.3 * peer.median),
        BenchRow(
          "  asked for to stored: both sides' commits", asked.median, "ms", peer: peer.median,
          target: "at most 2 ×", met: asked.median <= 2 * peer.median),
      ],
      note: "The peer is two times 4 KiB appended with fdatasync and one round trip of \(size) B over TCP on loopback.")
  }
}
