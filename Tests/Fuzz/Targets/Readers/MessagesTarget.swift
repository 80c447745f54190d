import LatchkeyHousehold
import LatchkeyModel
import LatchkeyProtocol
import LatchkeyTestSupport

/// Bytes with a valid tag that are read as a message.
///
/// The first byte chooses how they are read.
enum MessagesTarget {
  private static let coding = MessageBodyCoding()

  static func seeds() -> [[UInt8]] {
    var random = SeededRandom(seed: 1)
    var seeds: [[UInt8]] = []
    for payload in SampleMessages.commands(&random) { seeds.append([4] + coding.encode(payload)) }
    for receipt in SampleMessages.receipts(&random) { seeds.append([5] + coding.encode(receipt)) }
    for step in SampleMessages.steps(&random) { seeds.append([3] + PairingCodec.encode(step)) }
    for batch in SampleMessages.batches(&random) { seeds.append([0] + SessionCodec.encode(batch)) }
    for hello in SampleMessages.doubledHellos(&random) {
      seeds.append([0] + SessionCodec.encode(SessionBatch(hello: hello)))
    }
    let atTheEnd = [0] + SessionCodec.encode(SampleMessages.skip((UInt64.max - 3)...(UInt64.max - 1)))
    // Its last byte is the number of items skipped.
    seeds += [atTheEnd] + [4, 9].map { atTheEnd.dropLast() + [$0] }
    let register = Samples.register(&random)
    return seeds + [
      [1] + PairingCodec.encode(PairingOpening(commitment: random.bytes(32))),
      [2] + PairingCodec.encode(SampleMessages.introduction(&random)),
      [6] + coding.encode(Samples.usageRecord(&random)),
      [7] + coding.encode(StateInForce(RegistersInForce([register], .recorded))),
      [8] + coding.encode([register]), [9] + coding.encode(SampleMessages.rotation(&random)),
      [11] + coding.encode(SampleMessages.loss(&random)),
      [12] + RemovalCodec.encode(signature: random.bytes(64)),
      [13]
        + coding.encode(
          RefusalNotice(
            items: [
              RefusedItem(streamClass: .usage, kind: .usageRecord, itemID: random.bytes(16), reason: .unreadable)
            ],
            total: 1)),
      [15] + coding.encode(SampleMessages.facts(&random)),
    ] + SampleMessages.inventories(&random).map { [10] + coding.encode($0) }
  }

  static func check(_ input: [UInt8]) throws(FuzzFault) {
    let bytes = Array(input.dropFirst())
    switch (input.first ?? 0) % 16 {
    case 0: try same(bytes, SessionCodec.decode, whole, bounds)
    case 1: try same(bytes, PairingCodec.opening, PairingCodec.encode) { $0.commitment.count == 32 }
    case 2:
      try same(bytes, PairingCodec.introduction, PairingCodec.encode) {
        $0.identityKey.count == 32 && $0.random.count == 32
      }
    case 3: try same(bytes, PairingCodec.step, PairingCodec.encode) { _ in true }
    case 4: try same(bytes, coding.command, coding.encode) { $0.payload.fault == nil }
    case 5: try same(bytes, coding.receipt, coding.encode) { coding.encode($0).count <= Limits.itemBodyBytes }
    case 6: try same(bytes, coding.usageRecord, coding.encode) { $0.fault == nil }
    case 7: try same(bytes, coding.state, coding.encode) { _ in true }
    case 8: try same(bytes, coding.registers, coding.encode) { $0.count <= Limits.editRegisters }
    case 9: try same(bytes, coding.rotation, coding.encode) { $0.generation > 0 && $0.replaces.count == 8 }
    case 10:
      try same(bytes, inventory, coding.encode) { part in
        part.parts <= Limits.inventoryParts && part.part < part.parts && part.entries.count <= Limits.installedApps
          && InventoryKind.entry(of: part.kind) != nil
      }
    case 11:
      try same(bytes, coding.usageLoss, coding.encode) {
        $0.firstStart <= $0.lastEnd && min($0.records, $0.sessions, $0.activeMilliseconds, $0.earnedMilliPoints) >= 0
      }
    case 13:
      try same(bytes, coding.refusalNotice, coding.encode) { $0.items.count <= Limits.refusalItems && $0.total >= 0 }
    case 15:
      try same(bytes, coding.facts, coding.encode) { facts in
        facts.allSatisfy { fact in
          let readings = FactRegistry.household.kinds.compactMap { $0.read(fact.text) }
          return TextRule.fact.fault(in: fact.text) == nil && readings.allSatisfy { $0.identity.utf8.count <= 255 }
        }
      }
    default: try same(bytes, RemovalCodec.signature, RemovalCodec.encode) { $0.count == 64 }
    }
  }

  private static func inventory(_ bytes: [UInt8]) throws(BodyFault) -> Inventory {
    try coding.inventory(bytes).checked()
  }

  /// Returns a batch without empty runs, which say nothing, for a comparison.
  private static func whole(_ batch: SessionBatch) -> [UInt8] {
    var batch = batch
    batch.runs.removeAll { $0.items.isEmpty }
    return SessionCodec.encode(batch)
  }

  private static func bounds(_ batch: SessionBatch) -> Bool {
    if let hello = batch.hello {
      guard hello.name.utf8.count <= 64, hello.software.utf8.count <= 64, hello.runID.count == 16,
        [hello.outgoing.map(\.streamClass), hello.incoming.map(\.streamClass), hello.held.map(\.streamClass)]
          .allSatisfy({ Set($0).count == $0.count }),
        hello.held.allSatisfy({ $0.itemID.count == 16 }), hello.keyID.isEmpty || hello.keyID.count == 8
      else { return false }
    }
    for run in batch.runs {
      var next: UInt64?
      for item in run.items {
        guard item.sequence > 0, item.skipThrough >= item.sequence, item.skipThrough < UInt64.max,
          item.body.count <= Limits.itemBodyBytes, next == nil || next == item.sequence,
          item.kind == .skip || (item.itemID.count == 16 && item.skipThrough == item.sequence)
        else { return false }
        next = item.skipThrough + 1
      }
    }
    return true
  }

  /// Checks that bytes are refused by a typed error, or mean a value within bounds that stays the
  /// same when it is written again.
  private static func same<Value, Failure: Error>(
    _ bytes: [UInt8], _ read: ([UInt8]) throws(Failure) -> Value, _ write: (Value) -> [UInt8],
    _ isWithinBounds: (Value) -> Bool
  ) throws(FuzzFault) {
    let value: Value
    do { value = try read(bytes) } catch { return }
    try require(isWithinBounds(value), "\(value) is out of bounds")
    let written = write(value)
    let again: Value
    do { again = try read(written) } catch { throw FuzzFault("\(value) was read, written, and refused: \(error)") }
    try require(write(again) == written, "\(value) was written and read as \(again)")
  }
}
