import LatchkeyModel
import SwiftProtobuf

/// The encoding of the content of a session's frames (Protocol/04-session.md §3).
public enum SessionCodec {
  /// Returns an encoded batch; the caller limits its size to `Limits.batchBytes`.
  public static func encode(_ batch: SessionBatch) -> [UInt8] {
    var message = Latchkey_V1_Batch()
    if let hello = batch.hello { message.hello = .init(hello) }
    message.runs = batch.runs.map(Latchkey_V1_Run.init)
    message.stored = batch.stored.map(Latchkey_V1_Position.init)
    if let ping = batch.ping { message.ping = ping }
    if let pong = batch.pong { message.pong = pong }
    message.goodbye = batch.goodbye?.rawValue ?? 0
    message.rekey = batch.rekey
    if let reach = batch.reach { message.reach = .init(reach) }
    if let labels = batch.labels { message.labels = .init(labels) }
    return message.wireBytes
  }

  /// Returns the batch in `bytes`; throws `WireError`, the peer's fault.
  public static func decode(_ bytes: [UInt8]) throws(WireError) -> SessionBatch {
    let message = try Latchkey_V1_Batch(wire: bytes)
    var batch = SessionBatch()
    if message.hasHello { batch.hello = try message.hello.value() }
    batch.runs.reserveCapacity(message.runs.count)
    for run in message.runs { batch.runs.append(try run.value()) }
    for position in message.stored { batch.stored.append(try position.value()) }
    if message.hasPing { batch.ping = message.ping }
    if message.hasPong { batch.pong = message.pong }
    if message.goodbye != 0 { batch.goodbye = Goodbye(rawValue: message.goodbye) ?? .protocolError }
    batch.rekey = message.rekey
    if message.hasReach { batch.reach = try message.reach.value() }
    if message.hasLabels { batch.labels = try message.labels.value() }
    return batch
  }

  /// Returns the largest number of bytes that `item` adds to an encoded batch.
  public static func encodedSize(of item: DeliveryItem) -> Int { item.body.count + item.itemID.count + 40 }
}

extension Latchkey_V1_Reach {
  init(_ reach: Reach) {
    self.init()
    port = UInt32(reach.port)
    addresses = reach.addresses.map { WireBytes($0) }
  }

  func value() throws(WireError) -> Reach {
    guard let port = UInt16(exactly: port), port != 0 else { throw WireError("port \(port)") }
    guard addresses.count <= Limits.reachAddresses else { throw WireError("too many addresses") }
    guard addresses.allSatisfy({ $0.count == 4 || $0.count == 16 }) else { throw WireError("a malformed address") }
    return Reach(port: port, addresses: addresses.map { Array($0) })
  }
}

extension Latchkey_V1_Position {
  init(_ position: StreamPosition) {
    self.init()
    streamClass = UInt32(position.streamClass.rawValue)
    epoch = position.epoch
    through = position.through
  }

  func value() throws(WireError) -> StreamPosition {
    StreamPosition(streamClass: try StreamClass(wire: streamClass), epoch: epoch, through: through)
  }
}

extension StreamClass {
  init(wire: UInt32) throws(WireError) {
    guard let byte = UInt8(exactly: wire), let value = StreamClass(rawValue: byte)
    else { throw WireError("stream class \(wire)") }
    self = value
  }
}

extension Latchkey_V1_Run {
  init(_ run: ItemRun) {
    self.init()
    streamClass = UInt32(run.streamClass.rawValue)
    epoch = run.epoch
    first = run.items.first?.sequence ?? 0
    items = run.items.map { item in
      var message = Latchkey_V1_Item()
      message.kind = item.kind.rawValue
      message.id = WireBytes(item.itemID)
      message.body = WireBytes(item.body)
      if item.kind == .skip { message.count = item.skipThrough - item.sequence + 1 }
      return message
    }
  }

  func value() throws(WireError) -> ItemRun {
    var run = ItemRun(streamClass: try StreamClass(wire: streamClass), epoch: epoch, items: [])
    guard first > 0, epoch != 0 else { throw WireError("a run without a beginning") }
    run.items.reserveCapacity(items.count)
    var next = first
    for item in items {
      guard item.body.count <= Limits.itemBodyBytes else { throw WireError("an item of \(item.body.count) bytes") }
      let last: UInt64
      if item.kind == ItemKind.skip.rawValue {
        let (end, overflow) = next.addingReportingOverflow(max(item.count, 1) - 1)
        guard !overflow, item.id.isEmpty, item.body.isEmpty else { throw WireError("a malformed skip") }
        last = end
        run.items.append(DeliveryItem(skipping: next...last))
      } else {
        guard item.id.count == 16 else { throw WireError("an item ID of \(item.id.count) bytes") }
        last = next
        run.items.append(
          DeliveryItem(
            sequence: next, kind: ItemKind(rawValue: item.kind), itemID: item.id.array, body: item.body.array))
      }
      guard last < UInt64.max else { throw WireError("a number beyond the last one") }
      next = last + 1
    }
    return run
  }
}

extension Latchkey_V1_Hello {
  init(_ hello: Hello) {
    self.init()
    leastVersion = hello.versions.lowerBound
    greatestVersion = hello.versions.upperBound
    software = hello.software
    runID = WireBytes(hello.runID)
    name = hello.name
    role = hello.role.wire
    refusal = hello.refusal?.rawValue ?? 0
    windowItems = hello.windowItems
    windowBytes = hello.windowBytes
    outgoing = hello.outgoing.map(Latchkey_V1_Position.init)
    incoming = hello.incoming.map(Latchkey_V1_Position.init)
    keyID = WireBytes(hello.keyID)
    endedSessions = hello.endedSessions
    devices = hello.devices
    held = hello.held.map { item in
      var message = Latchkey_V1_Held()
      message.streamClass = UInt32(item.streamClass.rawValue)
      message.sequence = item.sequence
      message.id = WireBytes(item.itemID)
      return message
    }
  }

  func value() throws(WireError) -> Hello {
    guard leastVersion <= greatestVersion else { throw WireError("versions in the wrong order") }
    guard runID.count == 16 else { throw WireError("a run ID of \(runID.count) bytes") }
    guard keyID.count == 8 else { throw WireError("a key ID of \(keyID.count) bytes") }
    for classes in [outgoing.map(\.streamClass), incoming.map(\.streamClass), held.map(\.streamClass)] {
      guard classes.count <= 16 else { throw WireError("too many positions") }
      guard Set(classes).count == classes.count else { throw WireError("two positions of one class") }
    }
    var hello = Hello(
      versions: leastVersion...greatestVersion, software: DeviceName(sanitising: software).text, runID: Array(runID),
      name: DeviceName(sanitising: name).text, role: try DeviceRole(wire: role),
      refusal: refusal == 0 ? nil : Hello.Refusal(rawValue: refusal) ?? .version, windowItems: windowItems,
      windowBytes: windowBytes, outgoing: [], incoming: [], keyID: Array(keyID), endedSessions: endedSessions,
      devices: devices)
    for position in outgoing { hello.outgoing.append(try position.value()) }
    for position in incoming { hello.incoming.append(try position.value()) }
    for item in held {
      guard item.id.count == 16 else { throw WireError("a held item's ID of \(item.id.count) bytes") }
      hello.held.append(
        HeldItem(streamClass: try StreamClass(wire: item.streamClass), sequence: item.sequence, itemID: Array(item.id)))
    }
    return hello
  }
}

extension Latchkey_V1_Labels {
  init(_ labels: SessionLabels) {
    self.init()
    if let own = labels.own { self.own = .init(own) }
    if let yours = labels.yours { self.yours = .init(yours) }
  }

  func value() throws(WireError) -> SessionLabels {
    SessionLabels(own: hasOwn ? try own.value() : nil, yours: hasYours ? try yours.value() : nil)
  }
}

extension Latchkey_V1_Labels.Label {
  init(_ label: DeviceLabel) {
    self.init()
    name = label.name.text
    guard let at = label.at else { return }
    wall = at.wall
    counter = at.counter
    author = WireBytes(at.author.bytes)
  }

  func value() throws(WireError) -> DeviceLabel {
    guard HybridTimestamp.walls.contains(wall), let author = DeviceID(bytes: Array(author))
    else { throw WireError("a label without a time") }
    return DeviceLabel(DeviceName(sanitising: name), at: HybridTimestamp(wall: wall, counter: counter, author: author))
  }
}

extension ItemRun {
  /// Returns the run in as few parts as possible, each of which fits a frame
  /// (Protocol/05-delivery.md §4).
  ///
  /// The encoded items of a part have at most `bytes`, unless a single item has more.
  public func parts(of bytes: Int = Limits.batchBytes - 256) -> [ItemRun] {
    var parts: [ItemRun] = []
    var part = ItemRun(streamClass: streamClass, epoch: epoch, items: [])
    var size = 0
    for item in items {
      let itemSize = SessionCodec.encodedSize(of: item)
      if size + itemSize > bytes, !part.items.isEmpty {
        parts.append(part)
        part.items.removeAll(keepingCapacity: true)
        size = 0
      }
      part.items.append(item)
      size += itemSize
    }
    parts.append(part)
    return parts
  }
}
