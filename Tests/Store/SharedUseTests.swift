import GRDB
import LatchkeyHousehold
import LatchkeyModel
import LatchkeyStore
import LatchkeyTestSupport
import Testing

/// Tests of a child's use on several machines: whose use it is taken for, and which devices get it.
@Suite final class SharedUseTests {
  private let rig: StoreRig
  private let emma, tom: ChildID
  private static let now: Int64 = 1_795_000_000_000

  init() throws {
    rig = try StoreRig()
    emma = try #require(ChildID(bytes: rig.random.bytes(16)))
    tom = try #require(ChildID(bytes: rig.random.bytes(16)))
  }

  /// Adds a child's machine that serves children.
  ///
  /// The machine says so itself; with `isGiven`, this parent has assigned it as well.
  private func machine(_ children: [ChildID], isGiven: Bool = true) async throws -> DeviceID {
    let device = try await rig.paired()
    if isGiven {
      let maker = EditMaker(
        nextID: { CommandID(milliseconds: 1, random: Array(device.bytes.prefix(10))) },
        payload: { CommandPayload(Edit($0)) }, children: { HouseholdKey.children(servedIn: $0) })
      _ = try await rig.store.edit(
        children.map { RegisterChange(.machine(device), HouseholdKey.child($0), HouseholdKey.yes) }, maker,
        at: Self.now)
    }
    let registers = children.map {
      Register(
        .machine(device), HouseholdKey.child($0), HouseholdKey.yes,
        modified: HybridTimestamp(wall: 5, counter: 0, author: Fixed.device(9)))
    }
    _ = try await receive(.control, .registers, rig.coding.encode(registers), from: device, .child)
    return device
  }

  private var sequences: [DeviceID: [StreamClass: UInt64]] = [:]

  private func receive(
    _ streamClass: StreamClass, _ kind: ItemKind, id: [UInt8]? = nil, _ body: [UInt8], from device: DeviceID,
    _ role: DeviceRole
  ) async throws -> InboxResult {
    let sequence = (sequences[device]?[streamClass] ?? 0) + 1
    sequences[device, default: [:]][streamClass] = sequence
    let item = DeliveryItem(sequence: sequence, kind: kind, itemID: id ?? rig.random.bytes(16), body: body)
    return try await rig.store.receive(
      [ItemRun(streamClass: streamClass, epoch: 3, items: [item])], from: device, role: role, enforcement: .recorded,
      at: Self.now)
  }

  private func record(_ device: DeviceID, _ child: ChildID?, ago minutes: Int64 = 60) throws -> UsageRecord {
    let start = Self.now - minutes * 60_000
    var record = try rig.session(device, start: start, end: start + 600_000)
    record.child = child
    return record
  }

  private func give(_ record: UsageRecord, from device: DeviceID, _ role: DeviceRole = .child) async throws
    -> InboxResult
  {
    try await receive(.usage, .usageRecord, id: record.recordID.bytes, rig.coding.encode(record), from: device, role)
  }

  private func waiting(_ device: DeviceID, _ streamClass: StreamClass, _ kind: ItemKind) async throws -> [DeliveryItem]
  {
    guard let position = try await rig.store.outboxPositions(device)[streamClass] else { return [] }
    return try await rig.store.load(
      device, streamClass, epoch: position.epoch, from: 1, items: 10_000, bytes: 1 << 30, at: Self.now
    ).filter { $0.kind == kind }
  }

  /// Receives a list of running programs, of the sender unless another machine is named.
  private func tell(
    _ uses: [RunningUse], _ number: UInt64, of machine: DeviceID? = nil, from device: DeviceID,
    _ role: DeviceRole = .child
  ) async throws -> InboxResult {
    var list = EntryList(uses).parts(number: number)[0]
    list.device = machine
    return try await receive(.control, .inventory, rig.coding.encode(list), from: device, role)
  }

  /// Returns the lists of running programs that are pending for a device.
  private func running(_ device: DeviceID) async throws -> [Inventory] {
    try await waiting(device, .control, .inventory).map { try rig.coding.inventory($0.body) }
      .filter { $0.kind == RunningUse.inventory.name }
  }

  private func held(_ device: DeviceID) async throws -> [UsageRecord] {
    try await rig.store.usage(device: device, app: nil, from: .min, to: .max, limit: 100, before: nil).map(\.record)
  }

  private func share() async throws -> [OutboxChange] {
    try await rig.store.shareUse(since: { _ in Self.now - 86_400_000 }, at: Self.now)
  }

  @Test("A record's child is believed of a machine that serves the child; otherwise the record is kept without")
  func believed() async throws {
    let pc = try await machine([emma])
    for (child, expected) in [(emma, emma), (tom, nil), (nil, nil)] as [(ChildID?, ChildID?)] {
      let record = try record(pc, child)
      let result = try await give(record, from: pc)
      #expect(result.usageRecords == 1 && result.faults.isEmpty)
      #expect(try await held(pc).first { $0.recordID == record.recordID }?.child == expected)
    }
  }

  @Test("What one machine reports goes to the child's other machines, those that come later, and to nobody else")
  func passedOn() async throws {
    let (pc, laptop, toms) = (try await machine([emma]), try await machine([emma, tom]), try await machine([tom]))
    let early = try record(pc, emma)
    _ = try await give(early, from: pc)
    #expect(try await waiting(laptop, .usage, .usageRecord).isEmpty, "It is not shared yet.")
    #expect(try await share().map(\.device) == [laptop])
    #expect(try await share().isEmpty, "Sharing it again changes nothing.")
    let later = try record(pc, emma, ago: 5)
    let result = try await give(later, from: pc)
    #expect(result.changes.map(\.device) == [laptop] && result.hasNewUse)
    #expect(try await waiting(laptop, .usage, .usageRecord).map(\.itemID) == [early, later].map(\.recordID.bytes))
    #expect(try await give(later, from: pc).changes.isEmpty, "A repeated record is passed on once.")
    #expect(try await waiting(toms, .usage, .usageRecord).isEmpty)
    #expect(try await waiting(pc, .usage, .usageRecord).isEmpty, "A machine is not told of its own.")
    // Of the machine that two children share, each child's use goes only to that child's other
    // machine.
    _ = try await give(try record(laptop, tom, ago: 4), from: laptop)
    #expect(try await waiting(toms, .usage, .usageRecord).count == 1)
    #expect(try await waiting(pc, .usage, .usageRecord).isEmpty)
  }

  @Test(
    "A machine that only says it is a child's gets nothing of the child's use, and its own goes to no other machine")
  func claimed() async throws {
    let (pc, toms) = (try await machine([emma]), try await machine([tom]))
    let liar = try await machine([emma, tom], isGiven: false)
    _ = try await give(try record(pc, emma), from: pc)
    #expect(try await share().isEmpty)
    let later = try record(pc, emma, ago: 5)
    #expect(try await give(later, from: pc).changes.isEmpty)
    let claimed = try record(liar, tom, ago: 4)
    #expect(try await give(claimed, from: liar).changes.isEmpty)
    let use = RunningUse(
      recordID: claimed.recordID, account: 1_000, child: tom, appID: claimed.appID, displayName: "Kart",
      category: .reward, milliPointsPerMinute: 0, since: claimed.householdStart, activeMilliseconds: 5)
    #expect(try await tell([use], 1, from: liar).changes.isEmpty)
    for machine in [liar, toms, pc] {
      #expect(try await waiting(machine, .usage, .usageRecord).isEmpty)
      #expect(try await running(machine).isEmpty)
    }
  }

  @Test("A full queue keeps the newest of what is passed on")
  func full() async throws {
    let rig = try StoreRig(caps: QueueCaps(items: 16))
    let other = try SharedUseTests(rig)
    let (pc, laptop) = (try await other.machine([other.emma]), try await other.machine([other.emma]))
    _ = try await other.share()
    var ids: [[UInt8]] = []
    for minutes in (1...40).reversed() {
      let record = try other.record(pc, other.emma, ago: Int64(minutes))
      ids.append(record.recordID.bytes)
      _ = try await other.give(record, from: pc)
    }
    let kept = try await other.waiting(laptop, .usage, .usageRecord).map(\.itemID)
    #expect(kept.count <= 16 && kept == ids.suffix(kept.count), "\(kept.count)")
  }

  private init(_ rig: StoreRig) throws {
    self.rig = rig
    emma = try #require(ChildID(bytes: rig.random.bytes(16)))
    tom = try #require(ChildID(bytes: rig.random.bytes(16)))
  }

  @Test("What runs is passed on for the children that a machine serves, the last list in place of one that waits")
  func running() async throws {
    let (pc, laptop, toms) = (try await machine([emma, tom]), try await machine([emma]), try await machine([tom]))
    _ = try await share()
    func use(_ child: ChildID?) throws -> RunningUse {
      let record = try record(pc, child)
      return RunningUse(
        recordID: record.recordID, account: 1_000, child: child, appID: record.appID, displayName: "Kart",
        category: .reward, milliPointsPerMinute: 0, since: record.householdStart, activeMilliseconds: 5)
    }
    let stranger = try #require(ChildID(bytes: rig.random.bytes(16)))
    let uses = try [use(emma), use(tom), use(nil), use(stranger)]
    for count in [1, 4] {
      #expect(try await tell(Array(uses.prefix(count)), UInt64(count), from: pc).hasNewUse)
    }
    let told = try await rig.store.look { try $0.runningLists() }
    #expect(told.count == 1 && Set(told[pc]?.entries.map(\.child) ?? []) == [emma, tom, nil])
    #expect(told[pc]?.entries.count == 4, "A child whom the machine does not serve is not believed.")
    for (device, child) in [(laptop, emma), (toms, tom)] {
      let lists = try await running(device)
      #expect(lists.map(\.device) == [pc], "\(lists)")
      #expect(lists.map { $0.entries.map { RunningUse(text: $0)?.child } } == [[child]], "\(lists)")
    }
    // A machine may not report the list of another machine.
    #expect(try await tell([], 9, of: laptop, from: pc).faults.count == 1)
    var ended = try record(pc, emma)
    (ended.recordID, ended.householdStart) = (uses[0].recordID, uses[0].since)
    _ = try await give(ended, from: pc)
    let left = try await rig.store.look { try $0.runningLists() }
    #expect(
      left.mapValues { $0.entries.map(\.recordID) } == [pc: uses.dropFirst().map(\.recordID)], "Its record is there.")
  }

  @Test("A child's machine takes from a parent what others have used, of its own children, of late, and once")
  func taken() async throws {
    let (mum, dad) = (try await rig.paired(.parent), try await rig.paired(.parent))
    let modified = HybridTimestamp(wall: 5, counter: 0, author: mum)
    let serving = [Register(.machine(rig.own), HouseholdKey.child(emma), HouseholdKey.yes, modified: modified)]
    _ = try await rig.receive([rig.item(1, CommandPayload(Edit(serving)), from: mum)], from: mum)
    let laptop = Fixed.device(8)
    let good = try record(laptop, emma)
    for parent in [mum, dad] { #expect(try await give(good, from: parent, .parent).faults.isEmpty) }
    for (device, child, ago) in [(laptop, tom, 60), (laptop, nil, 60), (rig.own, emma, 60), (laptop, emma, 16 * 1_440)]
      as [(DeviceID, ChildID?, Int64)]
    {
      #expect(try await give(try record(device, child, ago: ago), from: mum, .parent).usageRecords == 0)
    }
    #expect(try await held(laptop) == [good])
    #expect(try await held(rig.own).isEmpty)
    let use = try await rig.store.look { [emma] in try $0.use(of: emma, since: 0) }
    #expect(use.map(\.milliseconds) == [600_000])
    #expect(try await waiting(dad, .usage, .usageRecord).isEmpty, "What others told is not told on.")

    // A parent that was not connected brings an older list.
    func list(_ number: UInt64, from parent: DeviceID) async throws -> UInt64? {
      _ = try await tell([], number, of: laptop, from: parent, .parent)
      return try await rig.store.look { try $0.runningLists() }[laptop]?.number
    }
    #expect(try await list(5, from: mum) == 5)
    #expect(try await list(4, from: dad) == 5)
    #expect(try await list(6, from: dad) == 6)
    #expect(try await list(2, from: dad) == 2, "A machine that was restored counts from an earlier number.")
    // A kept list that cannot be read does not keep another one out.
    try await DatabaseQueue(path: rig.path).write { try $0.execute(sql: "UPDATE inventory SET body = x'ff'") }
    #expect(try await list(1, from: mum) == 1)
    // Of machines that parents tell of, no more are known than a family has.
    for number in 100..<170 as Range<UInt8> {
      #expect(try await tell([], 1, of: Fixed.device(number), from: mum, .parent).faults.isEmpty)
    }
    #expect(try await rig.store.look { try $0.runningLists() }.count == 64)
    #expect(try await list(7, from: mum) == 7, "Those that are known are replaced.")

    try await rig.store.forgetSharedUse(before: Self.now)
    #expect(try await held(laptop).isEmpty)
    _ = try await give(try record(laptop, emma, ago: 1), from: mum, .parent)
    #expect(try await held(laptop).count == 1)
    let gone = [
      Register(
        .machine(rig.own), HouseholdKey.child(emma), nil, modified: HybridTimestamp(wall: 6, counter: 0, author: mum))
    ]
    let name = Register(.child(emma), "name", "Emma", modified: modified)
    _ = try await rig.receive([rig.item(2, CommandPayload(Edit([name])), from: mum)], from: mum)
    _ = try await rig.receive([rig.item(3, CommandPayload(Edit(gone)), from: mum)], from: mum)
    #expect(try await held(laptop).isEmpty, "A machine that is a child's no longer forgets the child's use.")
  }

  @Test(
    "The parents of a child's machine are told what runs when that has changed, and a new parent what was told last")
  func told() async throws {
    let mum = try await rig.paired(.parent)
    let record = try record(rig.own, emma)
    let use = RunningUse(
      recordID: record.recordID, account: nil, child: emma, appID: record.appID, displayName: "Kart",
      category: .reward, milliPointsPerMinute: 0, since: 5, activeMilliseconds: 5)
    func change(_ uses: [RunningUse]) async throws -> [DeviceID] {
      try await rig.store.setInventory(EntryList(uses), at: 1).changes.map(\.device)
    }
    #expect(try await change([]).isEmpty, "Nothing ran, and nothing was told.")
    #expect(try await change([use]) == [mum])
    #expect(try await change([use]) == [mum], "It still runs.")
    #expect(try await change([]) == [mum])
    #expect(try await change([]).isEmpty)
    #expect(try await running(mum) == EntryList([RunningUse]()).parts(number: 3))
    let dad = try await rig.paired(.parent)
    #expect(try await running(dad).count == 1)
  }

  @Test("A household's clock is kept with the audit of how the wall clock was set")
  func clock() async throws {
    #expect(try await rig.store.householdClock() == nil)
    var clock = StoredClock(
      bootID: "b", anchor: BootInstant(milliseconds: 7), time: 8, dayTime: 9, last: 10, reached: FamilyDay("2026-11-21")
    )
    try await rig.store.keep(clock, change: ("clock.ignored", "2 h ahead"), at: 5)
    try rig.reopen()
    #expect(try await rig.store.householdClock() == clock)
    clock.reached = nil
    try await rig.store.keep(clock, at: 6)
    #expect(try await rig.store.householdClock() == clock)
    let audit = try rig.look {
      try String.fetchAll($0, sql: "SELECT action || ' ' || new FROM audit WHERE target = 'clock'")
    }
    #expect(audit == ["clock.ignored 2 h ahead"])
  }
}
