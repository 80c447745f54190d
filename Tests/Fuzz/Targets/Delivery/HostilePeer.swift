import LatchkeyModel

/// A paired peer that sends what the script determines, within what a frame can express.
struct HostilePeer {
  private static let itemID = [UInt8](repeating: 1, count: 16)
  private static let bodies = [0, 20, 1_000, Limits.itemBodyBytes].map { [UInt8](repeating: 2, count: $0) }

  /// The end of the last run of each class.
  private var ends: [StreamClass: UInt64] = [:]
  /// The last report that the peer received in each class.
  private var last: [StreamClass: StreamPosition] = [:]

  static func streamClass(_ script: inout ByteScript) -> StreamClass {
    StreamClass.allCases[script.choice(StreamClass.allCases.count)]
  }

  /// Handles the end of the session.
  mutating func forgets() {
    ends = [:]
  }

  mutating func heard(_ run: ItemRun) {
    guard let through = run.items.last?.skipThrough else { return }
    last[run.streamClass] = StreamPosition(streamClass: run.streamClass, epoch: run.epoch, through: through)
  }

  mutating func took(_ run: ItemRun) {
    if let through = run.items.last?.skipThrough { ends[run.streamClass] = through }
  }

  /// Returns a Hello with windows and positions that the script chooses.
  func hello(
    _ script: inout ByteScript, _ statement: [StreamPosition], _ believed: [StreamClass: OutboxPosition]
  ) -> Hello {
    var hello = Hello(
      runID: [UInt8](repeating: script.byte(), count: 16), name: "n", role: .child,
      windowItems: UInt32(script.byte()) << UInt32(script.choice(32)),
      windowBytes: UInt32(script.byte()) << UInt32(script.choice(32)), outgoing: [], incoming: [],
      keyID: [UInt8](repeating: 9, count: 8))
    let classes = script.byte()
    for streamClass in StreamClass.allCases {
      let bit = streamClass.rawValue - 1
      if classes >> bit & 1 == 1 { hello.incoming.append(position(&script, streamClass, believed[streamClass])) }
      if classes >> (bit + 4) & 1 == 1 {
        let epoch = UInt64(script.choice(5))
        let through = UInt64(script.byte())
        hello.outgoing.append(
          StreamPosition(
            streamClass: streamClass, epoch: epoch, through: through < 252 ? through : UInt64.max - through))
      }
    }
    return hello
  }

  /// Returns a report of stored items.
  func report(_ script: inout ByteScript, _ believed: [StreamClass: OutboxPosition]) -> StreamPosition {
    let streamClass = Self.streamClass(&script)
    return position(&script, streamClass, believed[streamClass])
  }

  private func position(
    _ script: inout ByteScript, _ streamClass: StreamClass, _ stream: OutboxPosition?
  ) -> StreamPosition {
    let way = script.byte()
    let through: UInt64 =
      switch way & 7 {
      case 0: stream?.storedThrough ?? 0
      case 1: stream?.last ?? 0
      case 2: (stream?.last ?? 0) + 1
      case 3: last[streamClass]?.through ?? 0
      case 4: UInt64(script.byte())
      case 5: script.number64()
      case 6: (stream?.storedThrough ?? 0) + 1
      default: UInt64.max
      }
    let epochs = [stream?.epoch ?? 1, 0, last[streamClass]?.epoch ?? 2, UInt64(way)]
    return StreamPosition(
      streamClass: streamClass, epoch: way < 128 ? epochs[0] : epochs[Int(way >> 3) & 3], through: through)
  }

  /// Returns a run of `items` items.
  ///
  /// Its epoch may or may not be the present one, and its numbers may or may not fit.
  func run(_ script: inout ByteScript, _ statement: [StreamPosition], items: Int) -> ItemRun {
    let way = script.byte()
    let streamClass = StreamClass.allCases[Int(way & 3)]
    let held = statement.first { $0.streamClass == streamClass }
    let epoch: UInt64 = way & 4 == 0 ? held?.epoch ?? 1 : UInt64(script.choice(4) + 1)
    var next: UInt64 =
      switch way >> 3 & 7 {
      case 0, 1: (ends[streamClass] ?? held?.through ?? 0) + 1
      case 2: (held?.through ?? 0) + 1
      case 3: 1
      case 4: max(ends[streamClass] ?? 1, 1)
      case 5: UInt64(script.byte()) + 1
      case 6: max(script.number64(), 1)
      default: max((ends[streamClass] ?? 0) &+ 2, 1)
      }
    let kind = script.byte()
    let body = Self.bodies[Int(kind & 3)]
    var run = ItemRun(streamClass: streamClass, epoch: max(epoch, 1), items: [])
    run.items.reserveCapacity(items)
    for place in 0..<items {
      // The last number is refused earlier.
      let room = UInt64.max - next
      guard room > 0 else { break }
      if kind & 4 != 0, place % 3 == Int(kind >> 6) {
        let through = next + min(1 << (UInt64(kind >> 3 & 7) * 8), room - 1)
        run.items.append(DeliveryItem(skipping: next...through))
        next = through + 1
      } else {
        run.items.append(
          DeliveryItem(sequence: next, kind: ItemKind(rawValue: 1), itemID: Self.itemID, body: body))
        next += 1
      }
    }
    return run
  }
}
