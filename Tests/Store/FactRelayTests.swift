import Foundation
import GRDB
import LatchkeyHousehold
import LatchkeyModel
import LatchkeyProtocol
import LatchkeyRules
import LatchkeyStore
import LatchkeyTestSupport
import Testing

/// Tests of facts between the machines of a family: two parents, two machines of Emma's, and one of
/// Tom's.
@Suite struct FactRelayTests {
  private let family: FactFamily
  private let mum, dad, pc, laptop, toms: Int
  private let day: FamilyDay

  init() async throws {
    var random = SeededRandom(seed: 12)
    family = FactFamily(&random)
    mum = try family.add(.parent)
    dad = try family.add(.parent)
    pc = try family.add(.child)
    laptop = try family.add(.child)
    toms = try family.add(.child)
    day = try #require(FamilyDay("2026-11-23"))
    for machine in [pc, laptop, toms] { try await family.pair(mum, machine) }
    try await family.pair(dad, pc)
    for machine in [pc, laptop] { try await family.serve(mum, machine, family.emma) }
    try await family.serve(mum, toms, family.tom)
    try await family.serve(dad, pc, family.emma)
    try await family.settle()
  }

  private func ask(_ machine: Int, _ reason: String = "please") async throws -> ChildRequest {
    let request = ChildRequest(
      id: family.nextID(), device: family.device(machine), at: 5, wish: .time(Grant(minutes: 30, scope: .all)),
      day: day,
      reason: reason)
    let child = family.emma
    _ = try await family[machine].act(family.maker, at: 5) { effects, _ -> (Bool, ActOrders) in
      try effects.add(Fact(child, .request, request.text))
      return (true, .none)
    }
    return request
  }

  private func answer(_ parent: Int, _ request: ChildRequest, _ wall: Int64) async throws -> RequestAnswer {
    let answer = RequestAnswer(
      request: request.id, verdict: .approved(minutes: 20), day: day, word: "",
      modified: HybridTimestamp(wall: wall, counter: 0, author: family.device(parent)))
    let child = family.emma
    _ = try await family[parent].act(family.maker, at: 5) { effects, _ -> (Bool, ActOrders) in
      try effects.add(Fact(child, .answer, answer.text))
      return (true, .none)
    }
    return answer
  }

  @Test("A request reaches all parents and machines of the child; an answer too; a sibling's machine gets nothing")
  func requestsAndAnswers() async throws {
    let request = try await ask(laptop, "a secret of hers")
    try await family.settle()
    for machine in [mum, dad, pc, laptop] {
      #expect(try await family.facts(machine) == [Fact(family.emma, .request, request.text)], "\(machine)")
    }
    for (machine, told) in [(mum, 1), (dad, 1), (pc, 0), (laptop, 0)] {
      let notices = try await family[machine].notices(after: 0).notices
      #expect(
        notices.count == told && notices.allSatisfy { $0.kind == .asked && $0.child == family.emma }, "\(machine)")
    }
    // Dad is not paired with the laptop, so his answer gets there through the PC and mum.
    let answer = try await answer(dad, request, 50)
    try await family.settle()
    let second = try await self.answer(mum, request, 60)
    try await family.settle()
    for machine in [mum, dad, pc, laptop] {
      let facts = try await family.facts(machine)
      let book = RequestBook(
        facts.compactMap { $0.kind == .request ? ChildRequest($0.text) : nil },
        facts.compactMap { $0.kind == .answer ? RequestAnswer($0.text) : nil })
      #expect(book.state(of: request.id, on: day) == .answered(answer), "\(machine)")
      #expect(facts.contains(Fact(family.emma, .answer, second.text)), "Whose answer came second can be told.")
    }
    #expect(try await family.facts(toms).isEmpty)
    let bytes = family.delivered[toms]?.flatMap(\.body) ?? []
    let text = String(decoding: bytes, as: UTF8.self)
    #expect(!bytes.isEmpty && !text.contains("secret"))
    #expect(!bytes.contains(family.emma.bytes))
    // No item was refused on the way.
    for machine in [mum, dad, pc, laptop, toms] {
      #expect(!family.delivered[machine, default: []].contains { $0.kind == .refusal }, "\(machine)")
    }
  }

  @Test("A machine that joins, a parent that is paired, and one that has lost its data get everything")
  func joining() async throws {
    let (request, day) = (try await ask(pc), day)
    let source = family.source()
    try await family.act(pc) { $0.grant(7_000, source: source, day: day, at: 1) }
    try await family.settle()
    let all = try await family.facts(pc)
    #expect(all.count == 2)
    let tablet = try family.add(.child)
    try await family.pair(mum, tablet)
    try await family.serve(mum, tablet, family.emma)
    let granny = try family.add(.parent)
    try await family.pair(granny, laptop)
    try await family.serve(granny, laptop, family.emma)
    try await family.settle()
    for machine in [tablet, granny] { #expect(try await family.facts(machine) == all, "\(machine)") }

    // A restarted stream sends everything again, which changes nothing.
    for (from, to) in [(mum, pc), (pc, mum), (granny, laptop)] {
      _ = try await family[from].restart(
        family.device(to), .control, epoch: UInt64(90 + from), cause: .peerLost(after: 0), at: 40)
    }
    try await family.settle()
    for machine in [mum, dad, pc, laptop, tablet, granny] {
      #expect(try await family.facts(machine) == all, "\(machine)")
    }
    // A machine that is no longer hers forgets the facts, that she is there and what was tried as
    // her PIN, and receives no more.
    let (boot, store) = ("boot", family[tablet])
    let now = BootInstant(milliseconds: 5)
    _ = try await store.handOver(
      1_000, to: PresentChild(account: 1_000, child: family.emma, bootID: boot, since: now), in: boot, at: 1,
      make: { session, _ in session.record }, next: { _, _ in nil })
    _ = try await store.tryPIN(of: family.emma, in: boot, at: now)
    try await family.serve(mum, tablet, family.emma, value: nil)
    try await family.settle()
    #expect(try await family.facts(tablet).isEmpty)
    #expect(try await store.presentChildren().isEmpty)
    #expect(try await store.wrongPINs(of: family.emma) == nil)
    _ = try await ask(laptop, "once more")
    try await family.settle()
    #expect(try await family.facts(tablet).isEmpty)
    #expect(try await family.facts(dad).count == 3)
    #expect(try await family[pc].facts([.request], of: family.emma).contains { $0.text == request.text })
  }

  @Test("What a machine may not tell is passed over and refused")
  func refusals() async throws {
    let device = family.device(pc)
    func tell(_ facts: [Fact], from: Int, to: Int, _ role: DeviceRole) async throws -> InboxResult {
      let item = DeliveryItem(
        sequence: 1, kind: .facts, itemID: family.nextID().bytes, body: MessageBodyCoding().encode(facts))
      return try await family[to].receive(
        [ItemRun(streamClass: .control, epoch: UInt64.random(in: 1_000...UInt64.max), items: [item])],
        from: family.device(from), role: role, enforcement: .recorded, at: 50)
    }
    let request = ChildRequest(
      id: family.nextID(), device: device, at: 1, wish: .time(Grant(minutes: 5, scope: .all)), day: day, reason: "")
    let forged = RequestAnswer(
      request: request.id, verdict: .approved(minutes: nil), day: day, word: "",
      modified: HybridTimestamp(wall: 1, counter: 0, author: device))
    let emma = family.emma
    for (number, facts) in [
      [Fact(family.tom, .request, request.text)], [Fact(emma, .answer, forged.text)], [Fact(emma, "gossip", "x")],
      [Fact(emma, .request, request.text + "\n")], [Fact(emma, .ledger, "earned")],
    ].enumerated() {
      let result = try await tell(facts, from: pc, to: mum, .child)
      #expect(result.faults.count == 1 && result.newFacts.isEmpty, "\(number)")
      #expect(result.changes.contains { $0.device == device && $0.streamClass == .control }, "It is told: \(number).")
    }
    // The valid facts of a list are kept.
    let both = try await tell(
      [Fact(emma, .answer, forged.text), Fact(emma, .request, request.text)], from: pc, to: mum, .child)
    #expect(both.newFacts == [Fact(emma, .request, request.text)] && both.faults.count == 1)
    // A parent makes no requests, and sends a machine nothing about a sibling.
    var byMum = request
    (byMum.id, byMum.device) = (family.nextID(), family.device(mum))
    #expect(try await tell([Fact(emma, .request, byMum.text)], from: mum, to: pc, .parent).faults.count == 1)
    #expect(try await tell([Fact(emma, .request, request.text)], from: mum, to: toms, .parent).faults.count == 1)
  }

  @Test("Old requests are forgotten with their day and two weeks; the ledger is not")
  func forgetting() async throws {
    _ = try await ask(pc)
    let day = day
    let source = family.source()
    try await family.act(pc) { $0.grant(7_000, source: source, day: day, at: 1) }
    try await family[pc].forgetPast(of: family.emma, on: day.advanced(byDays: 14))
    #expect(try await family.facts(pc).count == 2)
    try await family[pc].forgetPast(of: family.emma, on: day.advanced(byDays: 15))
    #expect(try await family.facts(pc).map(\.kind) == [.ledger])
  }

  @Test("An item holds as many facts as fit, and what waits is joined with what comes")
  func batches() async throws {
    for _ in 0..<300 { _ = try await ask(laptop, String(repeating: "x", count: 100)) }
    let waiting = try await family.machines[laptop].waiting(family.device(mum), .control).filter { $0.kind == .facts }
    #expect((3...4).contains(waiting.count), "\(waiting.count)")
    for item in waiting { #expect(item.body.count <= Limits.itemBodyBytes) }
    try await family.settle()
    #expect(try await family.facts(dad).count == 300)
  }

  @Test("There is a bound, and beyond it a plain refusal")
  func bound() async throws {
    let most = try #require(FactRegistry.household.definition(.need)?.most)
    let child = family.emma
    let device = family.device(pc)
    try await DatabaseQueue(path: family.machines[pc].path).write { database in
      for number in 0..<most {
        try database.execute(
          sql: "INSERT INTO fact (child, kind, identity, text, author, day) VALUES (?, 'need', ?, 'x', x'00', '')",
          arguments: [Data(child.bytes), "\(number)"])
      }
    }
    let fault = await #expect(throws: StoreError.self) {
      _ = try await family[pc].act(family.maker, at: 5) { effects, _ -> (Bool, ActOrders) in
        let need = PointsNeed(modified: HybridTimestamp(wall: 1, counter: 0, author: device), isNeeded: true)
        try effects.add(Fact(child, .need, need.text))
        return (true, .none)
      }
    }
    #expect(fault?.description.contains("no room") == true, "\(fault as Any)")
  }
}

extension [UInt8] {
  fileprivate func contains(_ part: [UInt8]) -> Bool {
    indices.contains { self[$0...].starts(with: part) }
  }
}
