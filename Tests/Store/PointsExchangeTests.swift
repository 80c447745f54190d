import Foundation
import GRDB
import LatchkeyHousehold
import LatchkeyModel
import LatchkeyRules
import LatchkeyStore
import LatchkeyTestSupport
import Testing

/// Tests of points between a parent and two machines of Emma's, one of which was restored.
@Suite struct PointsExchangeTests {
  private let family: FactFamily
  private let mum, pc, laptop: Int
  private let day: FamilyDay

  init() async throws {
    var random = SeededRandom(seed: 31)
    family = FactFamily(&random)
    mum = try family.add(.parent)
    pc = try family.add(.child)
    laptop = try family.add(.child)
    day = try #require(FamilyDay("2026-11-23"))
    for machine in [pc, laptop] {
      try await family.pair(mum, machine)
      try await family.serve(mum, machine, family.emma)
    }
    try await family.settle()
    try await lend(wall: 900_000)
    let (source, day) = (family.source(), day)
    try await family.act(mum) { $0.grant(50_000, source: source, day: day, at: 1) }
    try await family.settle()
  }

  /// Has the parent check the points while its clock shows `wall`.
  private func lend(to machines: [Int]? = nil, wall: Int64 = 3) async throws {
    let (child, family, day) = (family.emma, family, day)
    let devices = Set((machines ?? [pc, laptop]).map(family.device))
    let connected = Set([pc, laptop].map(family.device))
    let source = family.source()
    _ = try await family[mum].act(family.maker, at: wall) { effects, clock -> (Bool, ActOrders) in
      try effects.lendPoints(
        of: child, to: devices, connected: connected, at: FamilyMoment(day: day, at: 5),
        clock: { try clock() }, source: { source })
      return (true, .none)
    }
  }

  /// Has the machine check its points while its clock shows `wall`.
  private func give(_ machine: Int, isWanted: Bool = false, wall: Int64 = 3) async throws {
    let (child, day, connected) = (family.emma, day, Set([family.device(mum)]))
    let source = family.source()
    _ = try await family[machine].act(family.maker, at: wall) { effects, clock -> (Bool, ActOrders) in
      _ = try effects.returnPoints(
        of: child, isWanted: isWanted, connected: connected, heard: [], at: FamilyMoment(day: day, at: 5),
        clock: { try clock() }, source: { source })
      return (true, .none)
    }
  }

  /// Restores a machine and its clock to a state from before it made its facts of these kinds.
  private func forget(_ kinds: [FactKind], on machine: Int) async throws {
    let own = Data(family.device(machine).bytes)
    try await DatabaseQueue(path: family.machines[machine].path).write { database in
      for kind in kinds {
        try database.execute(
          sql: "DELETE FROM fact WHERE kind = ? AND author = ?", arguments: [kind.rawValue, own])
      }
      try database.execute(sql: "DELETE FROM hybrid_clock")
    }
  }

  /// Lets both check in turn until nothing changes, and returns the number of rounds.
  private func rounds(lendingTo machines: [Int]? = nil) async throws -> Int {
    for round in 0..<20 {
      let before = try await family.facts(mum)
      try await lend(to: machines)
      try await family.settle()
      try await give(pc)
      try await give(laptop)
      try await family.settle()
      if try await family.facts(mum) == before { return round }
    }
    return 20
  }

  @Test(
    "A machine that was restored to before it said that it wants points withdraws that, and the points come to rest")
  func aForgottenWish() async throws {
    try await give(pc, isWanted: true, wall: 900_000)
    try await family.settle()
    try await forget([.need], on: pc)
    #expect(try await rounds() <= 2)
    let needs = try await family[mum].facts([.need], of: family.emma).compactMap { PointsNeed($0.text) }
    #expect(needs.map(\.isNeeded) == [false])
    #expect(try await family.ledger(mum).purse(of: family.device(mum)) == 50_000)
  }

  @Test("A parent that was restored to before it named another machine states anew which ones there are")
  func aForgottenStatement() async throws {
    try await forget([.machines], on: mum)
    #expect(try await rounds(lendingTo: [pc]) <= 2)
    let said = try await family[pc].facts([.machines], of: family.emma).compactMap { ChildMachines($0.text) }
    #expect(said.map(\.machines) == [[family.device(pc)]])
    #expect(try await family.ledger(mum).purse(of: family.device(pc)) == 50_000)
  }

  @Test("A machine whose control stream begins anew gets back what it had made, and is sent it once")
  func returning() async throws {
    let (source, day) = (family.source(), day)
    try await family.act(pc) { $0.grant(7_000, source: source, day: day, at: 1) }
    try await family.settle()
    try await forget([.ledger], on: pc)
    #expect(try await family.ledger(pc).purse(of: family.device(pc)) == 0)
    _ = try await family[pc].restart(family.device(mum), .control, epoch: 91, cause: .peerIsAhead, at: 40)
    try await family.settle()
    #expect(try await family.facts(pc) == family.facts(mum))
    #expect(try await family.ledger(pc).purse(of: family.device(pc)) == 7_000)
    // Further items of the stream restore nothing.
    let delivered = family.delivered[pc, default: []].count
    try await give(laptop, isWanted: true)
    try await family.settle()
    #expect(family.delivered[pc, default: []].count == delivered + 1)
  }
}
