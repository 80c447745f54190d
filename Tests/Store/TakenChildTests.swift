import LatchkeyHousehold
import LatchkeyModel
import LatchkeyProtocol
import LatchkeyRules
import LatchkeyStore
import LatchkeyTestSupport
import Testing

/// Tests of two parents and two children who share a machine: what a parent sends the machine after
/// the other parent has taken a child from it.
@Suite struct TakenChildTests {
  private let family: FactFamily
  private let mum, dad, pc, toms: Int
  private let day: FamilyDay

  init() async throws {
    var random = SeededRandom(seed: 23)
    family = FactFamily(&random)
    mum = try family.add(.parent)
    dad = try family.add(.parent)
    pc = try family.add(.child)
    toms = try family.add(.child)
    day = try #require(FamilyDay("2026-11-23"))
    for parent in [mum, dad] {
      for machine in [pc, toms] { try await family.pair(parent, machine) }
      for child in [family.emma, family.tom] { try await family.serve(parent, pc, child) }
      try await family.serve(parent, toms, family.tom)
    }
    try await settle()
    try await lock(dad, "on")
    try await lock(mum, "14:00", key: "schedule/bedtime")
    try await settle()
  }

  /// Passes all items, and gives machines what they are to hold again, as a parent's node does.
  private func settle() async throws {
    try await family.settle()
    for _ in 0..<3 {
      for parent in [mum, dad] {
        for machine in try await family[parent].machinesToIntroduce() {
          _ = try await family[parent].introduce(machine, family.maker, at: 30)
        }
      }
      try await family.settle()
    }
  }

  /// Sets a rule of Tom's.
  @discardableResult
  private func lock(_ parent: Int, _ value: String, key: RegisterKey = "lock") async throws -> EditResult {
    try await family[parent].edit([RegisterChange(.child(family.tom), key, value)], family.maker, at: 20)
  }

  private func held(_ machine: Int) async throws -> [String] {
    try await family[machine].registers().registers(in: .child(family.tom)).map { "\($0.key) \($0.value ?? "")" }
  }

  private func ask(_ machine: Int, _ reason: String) async throws {
    let request = ChildRequest(
      id: family.nextID(), device: family.device(machine), at: 5, wish: .time(Grant(minutes: 30, scope: .all)),
      day: day, reason: reason)
    let child = family.tom
    _ = try await family[machine].act(family.maker, at: 5) { effects, _ -> (Bool, ActOrders) in
      try effects.add(Fact(child, .request, request.text))
      return (true, .none)
    }
  }

  /// Reports a register as held by the shared machine.
  private func say(_ register: Register, to parent: Int) async throws {
    let item = DeliveryItem(
      sequence: 1, kind: .registers, itemID: family.nextID().bytes, body: MessageBodyCoding().encode([register]))
    _ = try await family[parent].receive(
      [ItemRun(streamClass: .control, epoch: UInt64.random(in: 1_000...UInt64.max), items: [item])],
      from: family.device(pc), role: .child, enforcement: .recorded, at: 60)
  }

  private func belongs(_ value: String?, _ wall: Int64, by parent: Int) -> Register {
    Register(
      .machine(family.device(pc)), HouseholdKey.child(family.tom), value,
      modified: HybridTimestamp(wall: wall, counter: 0, author: family.device(parent)))
  }

  @Test("After one parent has taken a child from a machine, the other one sends it nothing of that child's")
  func taken() async throws {
    #expect(try await held(pc) == ["lock on", "schedule/bedtime 14:00"])
    try await family.serve(mum, pc, family.tom, value: nil)
    try await settle()
    #expect(try await held(pc).isEmpty)
    let before = family.delivered[pc]?.count ?? 0
    for parent in [mum, dad] {
      let edit = try await lock(parent, "off")
      #expect(edit.commands.map(\.target) == [family.device(toms)], "His own machine gets it.")
    }
    try await ask(toms, "a secret of his")
    try await settle()
    #expect(try await family.facts(dad, family.tom).count == 1)
    let bytes = family.delivered[pc]?.dropFirst(before).flatMap(\.body) ?? []
    #expect(!bytes.contains(family.tom.bytes) && !String(decoding: bytes, as: UTF8.self).contains("secret"))
    // Her rules still go there.
    let hers = try await family[dad].edit(
      [RegisterChange(.child(family.emma), "lock", "on")], family.maker, at: 21)
    #expect(hers.commands.map(\.target) == [family.device(pc)])
  }

  @Test("A machine that was given back has the rules and facts of both parents again", arguments: [false, true])
  func givenBack(isHeardAtOnce: Bool) async throws {
    try await family.serve(mum, pc, family.tom, value: nil)
    if isHeardAtOnce {
      try await settle()
    } else {
      // The other parent is not connected, and learns of both edits at the same time.
      while try await family.carry(from: mum, to: pc, .command) > 0 {}
      #expect(try await held(pc).isEmpty)
    }
    try await ask(toms, "please")
    try await family.serve(mum, pc, family.tom)
    if !isHeardAtOnce { while try await family.carry(from: mum, to: pc, .command) > 0 {} }
    try await settle()
    #expect(try await held(pc) == ["lock on", "schedule/bedtime 14:00"])
    #expect(try await family.facts(pc, family.tom) == family.facts(toms, family.tom))
    try await lock(dad, "off")
    try await ask(toms, "once more")
    try await settle()
    #expect(try await held(pc) == ["lock off", "schedule/bedtime 14:00"])
    #expect(try await family.facts(pc, family.tom).count == 2)
    for parent in [mum, dad] { #expect(try await family[parent].machinesToIntroduce().isEmpty) }
  }

  @Test("No word of a machine gives it a child whom this parent has not given it, or has taken from it")
  func wordOfAMachine() async throws {
    // The machine reports that the other parent has also assigned Emma to it.
    let emmas = Register(
      .machine(family.device(toms)), HouseholdKey.child(family.emma), HouseholdKey.yes,
      modified: HybridTimestamp(wall: 70, counter: 0, author: family.device(mum)))
    let item = DeliveryItem(
      sequence: 1, kind: .registers, itemID: family.nextID().bytes, body: MessageBodyCoding().encode([emmas]))
    _ = try await family[dad].receive(
      [ItemRun(streamClass: .control, epoch: 9_999, items: [item])], from: family.device(toms), role: .child,
      enforcement: .recorded, at: 60)
    let hers = try await family[dad].edit(
      [RegisterChange(.child(family.emma), "lock", "on")], family.maker, at: 80)
    #expect(hers.commands.map(\.target) == [family.device(pc)])

    try await family.serve(dad, pc, family.tom, value: nil)
    try await settle()
    try await say(belongs(HouseholdKey.yes, 90, by: mum), to: dad)
    #expect(try await family[dad].machinesToIntroduce().isEmpty)
    #expect(try await lock(dad, "off").commands.map(\.target) == [family.device(toms)])
    // A statement about the other parent counts where it ends something, until this parent's next
    // edit.
    try await family.serve(dad, pc, family.tom)
    #expect(Set(try await lock(dad, "on").commands.map(\.target)) == [family.device(pc), family.device(toms)])
    try await say(belongs(nil, 10_000, by: mum), to: dad)
    #expect(try await lock(dad, "off").commands.map(\.target) == [family.device(toms)])
    try await family.serve(dad, pc, family.tom)
    #expect(Set(try await lock(dad, "on").commands.map(\.target)) == [family.device(pc), family.device(toms)])
  }
}
