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
    /// The consecutive items after `storedThrough`.
    var items: [DeliveryItem] = []
  }

  private(set) var outgoing: [StreamClass: Outgoing] = [:]
  private(set) var incoming: [StreamClass: StreamPosition] = [:]
  /// For each incoming stream, the last item in force that is not a skip.
  private(set) var held: [StreamClass: HeldItem] = [:]
  /// The last assigned epoch; epochs are never assigned twice, and the peer's own are lower.
  private var epochs: UInt64 = 1_000

  var outboxPositions: [StreamClass: OutboxPosition] {
    outgoing.mapValues { OutboxPosition(epoch: $0.epoch, storedThrough: $0.storedThrough, last: $0.last) }
  }

  /// Returns how far a stream is durably in force; 0 for a stream of another epoch.
  func watermark(_ streamClass: StreamClass, epoch: UInt64) -> UInt64 {
    incoming[streamClass].map { $0.epoch == epoch ? $0.through : 0 } ?? 0
  }

  /// Accepts an item, which must arrive from now on.
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

  /// Withdraws an item, whose number becomes empty.
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

  /// Deletes the items that the peer reports as stored.
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

  /// Brings items into force, and reports a gap as a failure of its own, like the real store.
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
