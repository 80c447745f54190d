import GRDB
import LatchkeyHousehold
import LatchkeyModel
import LatchkeyStore
import LatchkeyTestSupport
import Testing

/// Tests of what receivers give, which is counted in the transaction of the deed.
@Suite struct ReceiverDeedTests {
  private static let day = "2026-11-29"
  private let rig: StoreRig
  private let maker: EditMaker

  init() throws {
    rig = try StoreRig()
    maker = EditMaker(
      nextID: { CommandID(milliseconds: 1, random: [UInt8](repeating: 1, count: 10)) },
      payload: { CommandPayload(Edit($0)) }, children: { HouseholdKey.children(servedIn: $0) })
  }

  private func add(_ rights: [ReceiverRight] = [.grant], minutes: Int = 60) async throws {
    let receiver = StoredReceiver(
      name: "ha", kind: .mqtt, rights: rights, most: ReceiverGift(minutes: minutes, milliPoints: 5_000), addedAt: 1)
    #expect(try await rig.store.setReceiver(receiver, token: rig.random.bytes(32)))
  }

  /// Counts a deed in a transaction that sets a register of the family.
  @discardableResult
  private func give(
    _ minutes: Int, on day: String = day, key: String? = nil, fails: Bool = false
  ) async throws -> ReceiverDeed.Verdict {
    let deed = ReceiverDeed(
      "ha", .grant, "grant of \(minutes) min", giving: ReceiverGift(minutes: minutes), on: day, key: key)
    return try await Self.count(deed, rig.store, maker, fails: fails)
  }

  private static func count(
    _ deed: ReceiverDeed, _ store: Store, _ maker: EditMaker, fails: Bool = false
  ) async throws -> ReceiverDeed.Verdict {
    try await store.act(maker, at: 10) { effects, _ -> (ReceiverDeed.Verdict, ActOrders) in
      let verdict = try effects.count(deed)
      if fails { throw StoreError.refused("no") }
      return (verdict, .none)
    }.value
  }

  private var given: Int {
    get async throws { try await rig.store.given(by: "ha", on: Self.day).minutes }
  }

  @Test("Deeds at once are counted one after the other, and the sum is kept")
  func together() async throws {
    try await add()
    let deed = ReceiverDeed(
      "ha", .grant, "grant of 25 min", giving: ReceiverGift(minutes: 25), on: Self.day, key: nil)
    let verdicts = try await withThrowingTaskGroup(of: ReceiverDeed.Verdict.self) { [store = rig.store, maker] group in
      for _ in 0..<4 { group.addTask { try await Self.count(deed, store, maker) } }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    #expect(verdicts.count { $0 == .counted } == 2, "\(verdicts)")
    let left = ReceiverDeed.Verdict.tooMuch(
      most: ReceiverGift(minutes: 60, milliPoints: 5_000), left: ReceiverGift(minutes: 10, milliPoints: 5_000))
    #expect(verdicts.count { $0 == left } == 2, "\(verdicts)")
    try rig.reopen()
    #expect(try await given == 50)
    #expect(try await give(60, on: "2026-11-30") == .counted)
  }

  @Test("Of a transaction that fails nothing is counted, and its key is not kept")
  func failed() async throws {
    try await add()
    await #expect(throws: StoreError.self) {
      try await give(25, key: "a", fails: true)
    }
    #expect(try await given == 0)
    #expect(try await give(25, key: "a") == .counted)
    let entries = try rig.look {
      try Int.fetchOne($0, sql: "SELECT count(*) FROM audit WHERE action = 'receiver.acts'")
    }
    #expect(entries == 1)
  }

  @Test("A key is known after a restart and when the receiver is set up anew, and the oldest is forgotten")
  func keys() async throws {
    try await add()
    #expect(try await give(5, key: "a") == .counted)
    try rig.reopen()
    try await add()
    #expect(try await give(5, key: "a") == .repeated)
    #expect(try await given == 5)
    for number in 1..<DatabaseEffects.mostReceiverKeys { try await give(0, key: "\(number)") }
    #expect(try await give(5, key: "a") == .repeated)
    try await give(0, key: "one more")
    #expect(try await give(5, key: "a") == .counted)
    #expect(try await give(0, key: "1") == .counted, "It was the next one to be forgotten.")
    #expect(try await give(0, key: "3") == .repeated)
  }

  @Test("A receiver that was removed, or lost the right meanwhile, does nothing")
  func removed() async throws {
    try await add([.lock])
    #expect(try await give(5, key: "a") == .notAllowed)
    try await add()
    #expect(try await give(5, key: "a") == .counted)
    #expect(try await rig.store.removeReceiver("ha", at: 2))
    #expect(try await give(5) == .notAllowed)
    // One of the same name is another one.
    try await add()
    #expect(try await given == 0)
    #expect(try await give(5, key: "a") == .counted)
  }
}
