/// A node with a slow store and a hostile peer.
///
/// The peer is paired, and its Hellos, runs and reports break every rule. At the end, an honest
/// peer takes its place, and everything that is still owed must arrive.
enum DeliveryTarget {
  static func seeds() -> [[UInt8]] {
    let open: [UInt8] = [2, 0, 8, 2, 0, 0, 0, 0]
    let accept: [UInt8] = [0, 1, 20, 1, 0, 2, 9, 1]
    // The last byte of `open` is the step after it. Here, a run follows at once, and a run with a
    // gap.
    let gap = open.dropLast() + [7, 1, 0, 0, 7, 1, 56, 0, 8, 9, 10]
    return [
      Array(gap), open + accept + [4, 5, 6, 1, 0, 2, 12],
      accept + open + [4, 5, 3, 13] + open + [4, 5, 6, 1, 0, 1, 12],
      open + [7, 1, 1, 0, 3, 5, 8, 9, 10, 7, 1, 1, 0, 2, 5, 8, 9, 11],
      open + [15, 1, 1, 255, 8] + open + [15, 1, 1, 255, 9, 10],
      accept + [2, 0, 8, 2, 4, 1, 9, 9, 4, 1, 9, 9, 12, 12, 4, 5], open + accept + [14, 1, 0, 4, 5, 6, 1, 0, 0],
      open + [7, 1, 2, 0, 3, 5, 7, 1, 1, 0, 3, 5, 8, 9, 10],
      open + [7, 4, 1, 0, 200, 5, 3] + open + [7, 4, 1, 0, 4, 130, 8, 9, 10],
    ]
  }

  static func check(_ input: [UInt8]) throws(FuzzFault) {
    var script = ByteScript(input)
    var node = FuzzedNode()
    // Each step costs at most some thousand items, so that their number bounds the time.
    for _ in 0..<256 where !script.isEmpty { try node.step(&script) }
    try node.heal()
  }
}
