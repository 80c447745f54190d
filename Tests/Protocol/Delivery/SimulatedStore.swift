import LatchkeyModel
import LatchkeyProtocol

/// What a machine's database holds about one peer: all that a crash leaves. Each method is one transaction.
struct SimulatedStore: Sendable {
  struct Outgoing: Sendable {
    var epoch: UInt64
    var storedThrough: UInt64 = 0
    var last: UInt64 = 0
    /// Beyond `storedThrough`, in a row.
    var items: [DeliveryItem] = []
  }

  struct Incoming: Sendable {
    var epoch: UInt64
    var watermark: UInt64
  }

  private(set) var outgoing: [StreamClass: Outgoing] = [:]
  private(set) var incoming: [StreamClass: Incoming] = [:]
  /// What took effect, by name, in order.
  private(set) var effects: [StreamClass: [UInt64]] = [:]
  private var effectNames: Set<UInt64> = []
  /// Whether an item that comes under another number is known by its ID, as commands and records are.
  var knowsIDs = false

  static func itemID(_ name: UInt64) -> [UInt8] {
    [UInt8](repeating: 0, count: 8) + (0..<8).map { UInt8(truncatingIfNeeded: name >> UInt64(56 - 8 * $0)) }
  }

  static func name(_ item: DeliveryItem) -> UInt64 { item.itemID.suffix(8).reduce(0) { $0 << 8 | UInt64($1) } }

  func hasEffect(_ name: UInt64) -> Bool { effectNames.contains(name) }

  var outboxPositions: [StreamClass: OutboxPosition] {
    outgoing.mapValues { OutboxPosition(epoch: $0.epoch, storedThrough: $0.storedThrough, last: $0.last) }
  }

  var inboxPositions: [StreamPosition] {
    incoming.map { StreamPosition(streamClass: $0.key, epoch: $0.value.epoch, through: $0.value.watermark) }
  }

  /// Accept an item: from here on it is promised.
  mutating func accept(_ name: UInt64, _ streamClass: StreamClass, body: [UInt8], epoch: UInt64) -> (UInt64, UInt64) {
    func add(_ stream: inout Outgoing) -> (UInt64, UInt64) {
      stream.last += 1
      stream.items.append(
        DeliveryItem(sequence: stream.last, kind: .command, itemID: Self.itemID(name), body: body))
      return (stream.epoch, stream.last)
    }
    return add(&outgoing[streamClass, default: Outgoing(epoch: epoch)])
  }

  /// Take an item back; its number holds nothing any more.
  mutating func cancel(_ streamClass: StreamClass, at index: Int) -> UInt64? {
    guard var stream = outgoing[streamClass], stream.items.indices.contains(index), stream.items[index].kind != .skip
    else { return nil }
    let item = stream.items[index]
    stream.items[index] = DeliveryItem(skipping: item.sequence...item.sequence)
    outgoing[streamClass] = stream
    return Self.name(item)
  }

  func load(_ load: OutboxMachine.Load) -> [DeliveryItem] {
    guard let stream = outgoing[load.streamClass], stream.epoch == load.epoch else { return [] }
    var loaded: [DeliveryItem] = []
    var bytes = 0
    for item in stream.items where item.sequence >= load.from {
      if item.kind == .skip, let last = loaded.last, last.kind == .skip {
        loaded[loaded.count - 1] = DeliveryItem(skipping: last.sequence...item.skipThrough)
        continue
      }
      bytes += item.cost
      guard loaded.isEmpty || (loaded.count < load.items && bytes <= load.bytes) else { break }
      loaded.append(item)
    }
    return loaded
  }

  /// Forget what the peer has stored; gives what was forgotten.
  mutating func forget(_ stored: StreamPosition) -> [DeliveryItem] {
    guard var stream = outgoing[stored.streamClass], stream.epoch == stored.epoch, stored.through > stream.storedThrough
    else { return [] }
    let gone = stream.items.prefix { $0.sequence <= stored.through }
    stream.items.removeFirst(gone.count)
    stream.storedThrough = stored.through
    outgoing[stored.streamClass] = stream
    return Array(gone)
  }

  mutating func restart(_ streamClass: StreamClass, epoch: UInt64) -> OutboxPosition {
    var stream = Outgoing(epoch: epoch)
    for item in outgoing[streamClass]?.items ?? [] where item.kind != .skip {
      stream.last += 1
      stream.items.append(
        DeliveryItem(sequence: stream.last, kind: item.kind, itemID: item.itemID, body: item.body))
    }
    outgoing[streamClass] = stream
    return OutboxPosition(epoch: epoch, storedThrough: 0, last: stream.last)
  }

  /// Bring items into force; gives what is wrong with the order, if anything is.
  mutating func receive(_ runs: [ItemRun], advancesWatermark: Bool = true) -> String? {
    for run in runs {
      var watermark: UInt64 = 0
      if let stream = incoming[run.streamClass], stream.epoch == run.epoch { watermark = stream.watermark }
      for item in run.items where item.skipThrough > watermark {
        if item.sequence > watermark + 1 { return "a gap after \(watermark) in \(run.streamClass)" }
        watermark = item.skipThrough
        if item.kind != .skip, let fault = apply(Self.name(item), run.streamClass) { return fault }
      }
      if advancesWatermark { incoming[run.streamClass] = Incoming(epoch: run.epoch, watermark: watermark) }
    }
    return nil
  }

  /// Advance the watermarks alone: what a transaction of its own must never do.
  mutating func advance(_ runs: [ItemRun]) {
    for run in runs {
      if let last = run.items.last {
        incoming[run.streamClass] = Incoming(epoch: run.epoch, watermark: last.skipThrough)
      }
    }
  }

  private mutating func apply(_ name: UInt64, _ streamClass: StreamClass) -> String? {
    if knowsIDs && effectNames.contains(name) { return nil }
    let last = effects[streamClass]?.last ?? 0
    effects[streamClass, default: []].append(name)
    effectNames.insert(name)
    if name == last { return "\(name) took effect twice" }
    return name > last ? nil : "\(name) took effect after \(last) in \(streamClass)"
  }
}
