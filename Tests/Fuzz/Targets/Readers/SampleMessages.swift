import LatchkeyHousehold
import LatchkeyModel
import LatchkeyTestSupport

/// A message of every kind, with which inputs begin.
enum SampleMessages {
  static func commands(_ random: inout SeededRandom) -> [CommandBody] {
    let payloads: [CommandPayload] = [
      CommandPayload(Edit((0..<3).map { _ in Samples.register(&random) })), .requestReport, .message("Dinner!"),
    ]
    return payloads.map {
      CommandBody(
        commandID: Samples.commandID(&random), author: Samples.deviceID(&random), createdAt: 1_700_000_000_000,
        payload: $0)
    }
  }

  static func receipts(_ random: inout SeededRandom) -> [CommandReceipt] {
    let report = DeviceReport(version: Version.software, enforcement: .recorded, usageRecords: 17, registers: 3)
    let outcomes: [CommandReceipt.Outcome] = [
      .executed(StateInForce(RegistersInForce([Samples.register(&random)], .enforced))), .executed(.report(report)),
      .executed(.messageStored),
      .underWay(waitsFor: "the agent"), .failed(reason: "the disk is full"),
      .failed(reason: ToldSentence(Phrase(one: "{count} day {x}", other: "{count} days {x}", count: 2, ["x": "y"]))),
      .expired, .superseded(nil), .superseded(.messageStored),
    ]
    return outcomes.map { CommandReceipt(commandID: Samples.commandID(&random), outcome: $0, at: 1_700_000_000_000) }
  }

  static func steps(_ random: inout SeededRandom) -> [PairingStep] {
    [
      .proof(signature: random.bytes(64)), .commit(discoveryKey: random.bytes(32)), .commitAcknowledged, .done,
      .abort(.refused), .abort(.version),
    ]
  }

  static func introduction(_ random: inout SeededRandom) -> PairingIntroduction {
    PairingIntroduction(identityKey: random.bytes(32), name: "Emma's PC", role: .child, random: random.bytes(32))
  }

  static func loss(_ random: inout SeededRandom) -> UsageLoss {
    UsageLoss(
      lossID: Samples.usageRecord(&random).recordID, device: Samples.deviceID(&random), records: 3, sessions: 40,
      activeMilliseconds: 3_600_000, earnedMilliPoints: 120_000, firstStart: 1_700_000_000_000,
      lastEnd: 1_700_000_900_000)
  }

  static func facts(_ random: inout SeededRandom) -> [Fact] {
    let (device, child) = (Samples.deviceID(&random), ChildID(milliseconds: 5, random: random.bytes(10)))
    let hexadecimal = Hexadecimal.encode(device.bytes)
    let id = Hexadecimal.encode(random.bytes(16))
    return [
      Fact(child, .request, "\(id) 2026-11-23 5 \(hexadecimal)\ntime 30 reward\nplease"),
      Fact(child, .answer, "\(id) 2026-11-23 5 0 \(hexadecimal)\nyes 20\n"),
      Fact(child, .need, "\(hexadecimal) 5 0 yes"), Fact(child, .machines, "\(hexadecimal) 5 0 \(hexadecimal)"),
      Fact(child, .ledger, "earned \(id) \(hexadecimal) 5 2026-11-23 9 - 0 - - "),
    ]
  }

  /// Returns a list of each kind.
  static func inventories(_ random: inout SeededRandom) -> [Inventory] {
    let uses = (0..<3).map { _ in
      let record = Samples.usageRecord(&random)
      return RunningUse(
        recordID: record.recordID, account: record.account, child: record.child, appID: record.appID,
        displayName: record.displayName, category: record.category,
        milliPointsPerMinute: record.milliPointsPerMinute, since: record.householdStart,
        activeMilliseconds: record.activeMilliseconds)
    }
    let apps = ["org.gnome.Chess", "supertuxkart"].compactMap { AppID($0) }.map {
      InstalledApp(appID: $0, name: "Chess ü", version: "1:1.4+dfsg-2", suggestion: .reward)
    }
    var running = EntryList(uses).parts(number: 7)
    running[0].device = Samples.deviceID(&random)
    let parent = PairedParent(
      deviceID: Samples.deviceID(&random), name: DeviceName(sanitising: "Dad's"), pairedAt: 5, leftAt: 6)
    return running + EntryList(apps, more: 3).parts(number: 7) + EntryList([parent]).parts(number: 1)
      + EntryList([Account(uid: 1_000, name: "emma", fullName: "Emma", statedChild: "Emma")]).parts(number: 1)
      + EntryList([MachineCondition("privileged-group", account: 1_000, detail: "docker")]).parts(number: 1)
  }

  static func rotation(_ random: inout SeededRandom) -> KeyRotation {
    KeyRotation(
      generation: 3, discoveryKey: random.bytes(32), pairwiseKey: random.bytes(32), replaces: random.bytes(8))
  }

  static func hello(_ random: inout SeededRandom) -> Hello {
    let position = StreamPosition(streamClass: .command, epoch: 9, through: 4)
    return Hello(
      runID: random.bytes(16), name: "Kitchen laptop", role: .parent, outgoing: [position], incoming: [position],
      held: [HeldItem(streamClass: .command, sequence: 3, itemID: random.bytes(16))], keyID: random.bytes(8))
  }

  /// Returns Hellos that name a class twice in one list, which every reader refuses.
  static func doubledHellos(_ random: inout SeededRandom) -> [Hello] {
    let hello = hello(&random)
    var (outgoing, incoming, held) = (hello, hello, hello)
    outgoing.outgoing += hello.outgoing
    incoming.incoming += hello.incoming
    held.held += hello.held
    return [outgoing, incoming, held]
  }

  static func skip(_ numbers: ClosedRange<UInt64>) -> SessionBatch {
    SessionBatch(runs: [ItemRun(streamClass: .command, epoch: 9, items: [DeliveryItem(skipping: numbers)])])
  }

  static func batches(_ random: inout SeededRandom) -> [SessionBatch] {
    var refusal = hello(&random)
    refusal.refusal = .shuttingDown
    let items = [Samples.item(1, &random), DeliveryItem(skipping: 2...5), Samples.item(6, kind: .usageRecord, &random)]
    return [
      SessionBatch(hello: hello(&random)), SessionBatch(hello: refusal), SessionBatch(ping: 1), SessionBatch(pong: 1),
      SessionBatch(runs: [ItemRun(streamClass: .command, epoch: 9, items: items)], rekey: true),
      SessionBatch(stored: [StreamPosition(streamClass: .usage, epoch: 9, through: 6)]),
      SessionBatch(goodbye: .renew), SessionBatch(ping: 7, goodbye: .duplicateIdentity, rekey: true),
    ]
  }
}
