import LatchkeyModel
import LatchkeyProtocol

/// The content of a node's database about one peer, according to Protocol/05-delivery.md.
///
/// Each method is one transaction.
struct FuzzedStore {
  struct Outgoing {
    var epoch: UInt64
    var storedThrough: UInt64 = 0
    var last: UInt64 = 0
    /// Beyond `storedThrough`, in a row.
    var items: [DeliveryItem] = []
  }

  private(set) var outgoing: [StreamClass: Outgoing] = [:]
  private(set) var incoming: [StreamClass: StreamPosition] = [:]
  /// The last item of each incoming stream that is in force and was no skip.
  private(set) var held: [StreamClass: HeldItem] = [:]
  /// Epochs are never given out twice; the peer's own are lower.
  private var epochs: UInt64 = 1_000

  var outboxPositions: [StreamClass: OutboxPosition] {
    outgoing.mapValues { OutboxPosition(epoch: $0.epoch, storedThrough: $0.storedThrough, last: $0.last) }
  }

  /// How far a stream is durably in force; 0 for one of another epoch.
  func watermark(_ streamClass: StreamClass, epoch: UInt64) -> UInt64 {
    incoming[streamClass].map { $0.epoch == epoch ? $0.through : 0 } ?? 0
  }

  /// Accepts an item: from here on it is promised.
  mutating func accept(_ streamClass: StreamClass, bytes: Int) -> (StreamClass, OutboxPosition) {
    if outgoing[streamClass] == nil {
      epochs += 1
      outgoing[streamClass] = Outgoing(epoch: epochs)
    }
    var stream = outgoing[streamClass, default: Outgoing(epoch: epochs)]
    stream.last += 1
    stream.items.append(
      DeliveryItem(
        sequence: stream.last, kind: .command, itemID: [UInt8](repeating: 1, count: 16),
        body: [UInt8](repeating: 2, count: bytes)))
    outgoing[streamClass] = stream
    let position = OutboxPosition(epoch: stream.epoch, storedThrough: stream.storedThrough, last: stream.last)
    return (streamClass, position)
  }

  /// Takes an item back; its number holds nothing any more.
  mutating func cancel(_ streamClass: StreamClass, at index: Int) {
    guard var stream = outgoing[streamClass], stream.items.indices.contains(index) else { return }
    let item = stream.items[index]
    stream.items[index] = DeliveryItem(skipping: item.sequence...item.skipThrough)
    outgoing[streamClass] = stream
  }

  func load(_ load: OutboxMachine.Load) -> [DeliveryItem] {
    guard let stream = outgoing[load.streamClass], stream.epoch == load.epoch else { return [] }
    var loaded: [DeliveryItem] = []
    var bytes = 0
    for item in stream.items where item.sequence >= load.from {
      bytes += item.cost
      guard loaded.isEmpty || (loaded.count < load.items && bytes <= load.bytes) else { break }
      loaded.append(item)
    }
    return loaded
  }

  /// Forgets what the peer says it has stored.
  mutating func forget(_ stored: StreamPosition) throws(FuzzFault) {
    guard var stream = outgoing[stored.streamClass], stream.epoch == stored.epoch else { return }
    try require(stored.through <= stream.last, "\(stored) is forgotten, and \(stream.last) is the last there is")
    guard stored.through > stream.storedThrough else { return }
    stream.items.removeAll { $0.sequence <= stored.through }
    stream.storedThrough = stored.through
    outgoing[stored.streamClass] = stream
  }

  mutating func restart(_ streamClass: StreamClass) -> OutboxPosition {
    epochs += 1
    var stream = Outgoing(epoch: epochs)
    for item in outgoing[streamClass]?.items ?? [] where item.kind != .skip {
      stream.last += 1
      stream.items.append(
        DeliveryItem(sequence: stream.last, kind: item.kind, itemID: item.itemID, body: item.body))
    }
    outgoing[streamClass] = stream
    return OutboxPosition(epoch: stream.epoch, storedThrough: 0, last: stream.last)
  }

  /// Brings items into force as the real store does, which reports a gap as its own failure.
  mutating func receive(_ runs: [ItemRun]) throws(FuzzFault) {
    for run in runs {
      guard let end = run.items.last?.skipThrough else { continue }
      var watermark = watermark(run.streamClass, epoch: run.epoch)
      if incoming[run.streamClass]?.epoch != run.epoch { held[run.streamClass] = nil }
      for item in run.items where item.skipThrough > watermark {
        try require(item.sequence <= watermark + 1, "a gap after \(watermark) in \(run.streamClass) reached the store")
        watermark = item.skipThrough
        guard item.kind != .skip else { continue }
        held[run.streamClass] = HeldItem(
          streamClass: run.streamClass, sequence: item.sequence, itemID: item.itemID)
      }
      try require(watermark >= end, "the watermark fell back in \(run.streamClass)")
      incoming[run.streamClass] = StreamPosition(streamClass: run.streamClass, epoch: run.epoch, through: watermark)
    }
  }
}
