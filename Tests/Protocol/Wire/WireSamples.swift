import LatchkeyHousehold
import LatchkeyModel
import LatchkeyTestSupport

/// Random messages of every kind within their rules.
enum WireSamples {
  static func command(_ random: inout SeededRandom) -> CommandBody {
    let payload: CommandPayload
    switch random.below(4) {
    case 0, 1: payload = CommandPayload(Edit((0..<(1 + random.below(5))).map { _ in Samples.register(&random) }))
    case 2: payload = .requestReport
    default: payload = .message(Samples.text(maximumBytes: 4_096, &random))
    }
    return CommandBody(
      commandID: Samples.commandID(&random), author: Samples.deviceID(&random),
      createdAt: Int64.random(in: 0...Int64.max, using: &random), payload: payload)
  }

  static func state(_ random: inout SeededRandom) -> StateInForce {
    switch random.below(3) {
    case 0:
      StateInForce(
        RegistersInForce(
          (0..<random.below(5)).map { _ in Samples.register(&random) }, random.once(in: 2) ? .recorded : .enforced))
    case 1: .report(report(&random))
    default: .messageStored
    }
  }

  static func report(_ random: inout SeededRandom) -> DeviceReport {
    DeviceReport(
      version: Version.software, enforcement: .enforced, usageRecords: Int64.random(in: 0...Int64.max, using: &random),
      registers: random.below(10_000))
  }

  static func receipt(_ random: inout SeededRandom) -> CommandReceipt {
    let outcome: CommandReceipt.Outcome
    switch random.below(6) {
    case 0: outcome = .executed(state(&random))
    case 1: outcome = .failed(reason: told(&random))
    case 2: outcome = .expired
    case 3: outcome = .superseded(nil)
    case 4: outcome = .underWay(waitsFor: ToldSentence(english: "x" + Samples.text(maximumBytes: 254, &random)))
    default: outcome = .superseded(state(&random))
    }
    return CommandReceipt(
      commandID: Samples.commandID(&random), outcome: outcome, at: Int64.random(in: 0...Int64.max, using: &random))
  }

  /// Returns a reason, with a phrase or without.
  static func told(_ random: inout SeededRandom) -> ToldSentence {
    let text = Samples.text(maximumBytes: 400, &random)
    guard random.once(in: 2) else { return ToldSentence(english: text) }
    let inner = Phrase(one: "{count} day", other: "{count} days", count: random.below(3))
    let phrase = Phrase(
      "{what} after {time} ({number})",
      ["what": .text(text), "time": .phrase(inner), "number": .number(random.below(9) - 4)])
    return ToldSentence(english: phrase.worded(), phrase: phrase)
  }

  static func position(_ random: inout SeededRandom, of streamClass: StreamClass? = nil) -> StreamPosition {
    StreamPosition(
      streamClass: streamClass ?? random.pick(StreamClass.allCases), epoch: random.next(),
      through: random.next() >> random.next() % 64)
  }

  /// Returns positions of some classes, each at most once.
  static func positions(_ random: inout SeededRandom) -> [StreamPosition] {
    let classes = StreamClass.allCases.shuffled(using: &random).prefix(random.below(StreamClass.allCases.count + 1))
    return classes.map { position(&random, of: $0) }
  }

  static func hello(_ random: inout SeededRandom) -> Hello {
    let least = UInt32.random(in: 0...9, using: &random)
    return Hello(
      versions: least...(least + UInt32(random.below(3))), software: Version.software, runID: random.bytes(16),
      name: Samples.text(maximumBytes: 64, &random), role: random.pick(DeviceRole.allCases),
      refusal: random.pick([nil, .version, .shuttingDown, .duplicateIdentity]),
      windowItems: UInt32.random(in: 0...UInt32.max, using: &random),
      windowBytes: UInt32.random(in: 0...UInt32.max, using: &random),
      outgoing: positions(&random), incoming: positions(&random), keyID: random.bytes(8),
      endedSessions: random.next(),
      devices: UInt32.random(in: 0...UInt32.max, using: &random))
  }

  /// Returns a run of consecutive items, with skips of any length among them.
  static func run(_ random: inout SeededRandom) -> ItemRun {
    var next = 1 + random.next() >> (1 + random.next() % 60)
    let items = (0..<(1 + random.below(6))).map { _ in
      let item: DeliveryItem
      if random.once(in: 4) {
        item = DeliveryItem(skipping: next...(next + UInt64(random.below(1_000))))
      } else {
        item = Samples.item(
          next, kind: ItemKind(rawValue: 1 + UInt32(random.below(200))), bytes: random.below(100), &random)
      }
      next = item.skipThrough + 1
      return item
    }
    return ItemRun(streamClass: random.pick(StreamClass.allCases), epoch: random.next() | 1, items: items)
  }

  static func batch(_ random: inout SeededRandom) -> SessionBatch {
    SessionBatch(
      hello: random.once(in: 3) ? hello(&random) : nil, runs: (0..<random.below(4)).map { _ in run(&random) },
      stored: (0..<random.below(4)).map { _ in position(&random) }, ping: random.once(in: 3) ? random.next() : nil,
      pong: random.once(in: 3) ? 0 : nil, goodbye: random.pick([nil, .shuttingDown, .renew, .removed, .version]),
      rekey: random.once(in: 2), reach: random.once(in: 3) ? reach(&random) : nil)
  }

  static func reach(_ random: inout SeededRandom) -> Reach {
    Reach(
      port: UInt16.random(in: 1...UInt16.max, using: &random),
      addresses: (0..<random.below(Limits.reachAddresses + 1)).map { _ in random.bytes(random.once(in: 2) ? 4 : 16) })
  }

  static func introduction(_ random: inout SeededRandom) -> PairingIntroduction {
    let least = UInt32.random(in: 0...9, using: &random)
    return PairingIntroduction(
      identityKey: random.bytes(32), name: Samples.text(maximumBytes: 64, &random),
      role: random.pick(DeviceRole.allCases), random: random.bytes(32), versions: least...(least + 1))
  }

  static func step(_ random: inout SeededRandom) -> PairingStep {
    switch random.below(5) {
    case 0: .proof(signature: random.bytes(64))
    case 1: .commit(discoveryKey: random.bytes(32))
    case 2: .commitAcknowledged
    case 3: .done
    default: .abort(random.pick(PairingOutcome.allCases))
    }
  }
}
