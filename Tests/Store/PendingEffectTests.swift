import Foundation
import GRDB
import LatchkeyHousehold
import LatchkeyModel
import LatchkeyProtocol
import LatchkeyStore
import LatchkeyTestSupport
import Testing

/// Tests of receipts that wait for their effect.
@Suite struct PendingEffectTests {
  /// A command of a later version, with an effect that an agent carries out.
  private struct Lock: CommandDefinition {
    struct State: CommandState {
      static let kind: CommandKind = "testLock"
      var level: UInt8

      init(_ level: UInt8) { self.level = level }

      init(bytes: [UInt8]) throws(BodyFault) {
        guard bytes.count == 1 else { throw BodyFault("no lock") }
        level = bytes[0]
      }

      var bytes: [UInt8] { [level] }
      var summary: String { "locked" }
    }

    static let kind: CommandKind = "testLock"
    static let states: [any CommandState.Type] = [State.self]
    static let within: Int64 = 60_000
    var state: State

    init(_ level: UInt8) { state = State(level) }
    init(bytes: [UInt8]) throws(BodyFault) { state = try State(bytes: bytes) }

    var bytes: [UInt8] { state.bytes }
    var summary: String { "lock" }

    func execute(_ command: CommandContext, in transaction: inout some EffectTransaction) throws -> EffectOutcome {
      .underWay(EffectWait("the screen", within: Self.within))
    }
  }

  private let coding = MessageBodyCoding(CommandRegistry(household: [Lock.self]))
  private let rig: StoreRig
  private let parent: DeviceID

  init() async throws {
    rig = try StoreRig(coding: coding)
    parent = try await rig.paired(.parent)
  }

  private func lock(_ sequence: UInt64, _ level: UInt8) -> DeliveryItem {
    rig.item(sequence, CommandPayload(Lock(level)), from: parent)
  }

  /// The state that a pending lock brings about.
  private func state(_ effect: PendingEffect) throws -> StateInForce {
    StateInForce(try #require(effect.payload.as(Lock.self)).state)
  }

  /// Returns the receipts that are pending for a parent, in order.
  private func receipts(_ parent: DeviceID) async throws -> [CommandReceipt] {
    try await rig.store.queue(parent, .receipt, limit: 100, at: 1).compactMap {
      if case .receipt(let receipt) = $0.content { receipt } else { nil }
    }
  }

  private func id(_ item: DeliveryItem) throws -> CommandID { try #require(CommandID(bytes: item.itemID)) }

  @Test(
    "A command with a pending effect is noted as under way, then answered with the outcome, in one transaction each")
  func anOutcome() async throws {
    let item = lock(1, 10)
    let result = try await rig.receive([item], from: parent)
    #expect(result.hasPendingEffects && result.appliedCommands == 1)
    let effect = try #require(try await rig.store.pendingEffects().first)
    let given = try id(item)
    #expect(effect.commandID == given && effect.author == parent && effect.wait.what == "the screen")
    #expect(try await receipts(parent).map(\.outcome) == [.underWay(waitsFor: "the screen")])
    // The same command again gets the same note, and one effect is pending.
    _ = try await rig.receive(
      [DeliveryItem(sequence: 2, kind: .command, itemID: item.itemID, body: item.body)], from: parent)
    #expect(try await rig.store.pendingEffects().count == 1)
    let state = try state(effect)
    #expect(try await rig.store.finishEffect(effect.commandID, .done(state), at: 20)?.device == parent)
    #expect(try await receipts(parent).map(\.outcome).last == .executed(state))
    #expect(try await rig.store.pendingEffects().isEmpty)
    // A second outcome changes nothing, and the repeated command gets the final receipt.
    #expect(try await rig.store.finishEffect(effect.commandID, .failed(reason: "no"), at: 21) == nil)
    _ = try await rig.receive(
      [DeliveryItem(sequence: 3, kind: .command, itemID: item.itemID, body: item.body)], from: parent)
    #expect(try await receipts(parent).map(\.outcome).last == .executed(state))
  }

  @Test("A pending effect survives the process, and expires by a clock that does not jump")
  func afterACrash() async throws {
    let item = lock(1, 10)
    _ = try await rig.receive([item], from: parent)
    rig.clock.advance(Lock.within - 1)
    try rig.reopen()
    #expect(try await rig.store.pendingEffects().map(\.commandID) == [try id(item)])
    #expect(try await rig.store.expireEffects(at: 5).isEmpty)
    #expect(try await rig.store.untilNextExpiry() == 1)
    rig.clock.advance(1)
    #expect(try await rig.store.expireEffects(at: 6).map(\.device) == [parent])
    guard case .failed(let reason)? = try await receipts(parent).last?.outcome else {
      Issue.record("it did not fail")
      return
    }
    #expect(reason.english.contains("the screen") && reason.english.hasSuffix("."))
    #expect(reason.phrase?.arguments["what"] == .phrase("the screen"), "what it waits for is kept as a phrase")
    #expect(try await rig.store.pendingEffects().isEmpty)
    #expect(try await rig.store.untilNextExpiry() == nil)
  }

  @Test("An edit that waits for an agent holds at once, and is answered in time even if the agent says nothing")
  func anEdit() async throws {
    let zone = Zone.machine(rig.own)
    let register = Register(
      zone, "name", "Emma's PC", modified: HybridTimestamp(wall: 10, counter: 0, author: parent))
    let items = (0..<2).map { _ in rig.item(1, CommandPayload(Edit([register])), from: parent) }
    _ = try await rig.receive([items[0]], from: parent, awaitsAgent: true)
    #expect(try await receipts(parent).map(\.outcome) == [.underWay(waitsFor: "the agent")])
    #expect(try await rig.store.registers().registers(in: zone) == [register])
    let held = StateInForce(RegistersInForce([register], .recorded))
    try rig.reopen()
    var effect = try #require(try await rig.store.pendingEffects().first)
    #expect(effect.wait.held == held && effect.wait.within == Edit.agentMilliseconds)
    #expect(PendingEffect.late(effect.wait) == .done(held))
    _ = try await rig.store.finishEffect(effect.commandID, .done(held.with(.ownPrograms)), at: 20)
    #expect(try await receipts(parent).last?.outcome == .executed(held.with(.ownPrograms)))
    // The same command again, while no agent ever reports anything.
    _ = try await rig.receive([items[1]], epoch: 8, from: parent, awaitsAgent: true)
    effect = try #require(try await rig.store.pendingEffects().first)
    rig.clock.advance(Edit.agentMilliseconds)
    #expect(try await rig.store.expireEffects(at: 30).map(\.device) == [parent])
    #expect(try await receipts(parent).last?.outcome == .executed(held))
    #expect(effect.commandID == (try id(items[1])))
  }

  @Test("A parent shows the condition that a command waits for while it is stored, until there is an outcome")
  func atTheParent() async throws {
    let home = try StoreRig(coding: coding)
    let child = try await home.paired()
    let lock = Lock(10)
    let (command, change) = try await home.command(CommandPayload(lock), to: child)
    func answer(_ sequence: UInt64, _ outcome: CommandReceipt.Outcome) async throws {
      let receipt = CommandReceipt(commandID: command.commandID, outcome: outcome, at: 3)
      _ = try await home.store.receive(
        [
          ItemRun(
            streamClass: .receipt, epoch: 5,
            items: [
              DeliveryItem(
                sequence: sequence, kind: .receipt, itemID: command.commandID.bytes, body: coding.encode(receipt))
            ])
        ], from: child, role: .child, enforcement: .recorded, at: 12)
    }
    try await home.store.forget(
      child, StreamPosition(streamClass: .command, epoch: change.epoch, through: change.last), at: 11)
    try await answer(1, .underWay(waitsFor: "the screen"))
    var seen = try #require(try await home.store.command(command.commandID))
    #expect(seen.status == .stored && seen.waitsFor == "the screen" && seen.waitPhrase == "the screen")
    try await answer(2, .executed(StateInForce(lock.state)))
    seen = try #require(try await home.store.command(command.commandID))
    #expect(seen.status == .executed && seen.waitsFor == nil && seen.waitPhrase == nil)
    try await answer(3, .underWay(waitsFor: "the screen"))
    #expect(try await home.store.command(command.commandID)?.status == .executed)
  }

  @Test("A pending effect for a parent that has unpaired the machine is deleted, since no peer is left to answer")
  func unpaired() async throws {
    _ = try await rig.receive([lock(1, 10)], from: parent)
    _ = try await rig.store.remove(parent, removal: nil, itemID: rig.random.bytes(16), at: 5)
    #expect(try await rig.store.pendingEffects().isEmpty)
  }

  @Test(
    "A command whose effect was given up with a pairing is executed anew when its parent is paired again and repeats it"
  )
  func pairedAgain() async throws {
    let item = lock(1, 10)
    _ = try await rig.receive([item], from: parent)
    _ = try await rig.store.remove(parent, removal: nil, itemID: rig.random.bytes(16), at: 5)
    try await rig.pair(parent, .parent)
    let result = try await rig.receive([item], epoch: 8, from: parent)
    #expect(result.appliedCommands == 1 && result.hasPendingEffects)
    let effect = try #require(try await rig.store.pendingEffects().first)
    let state = try state(effect)
    _ = try await rig.store.finishEffect(effect.commandID, .done(state), at: 20)
    #expect(try await receipts(parent).map(\.outcome).last == .executed(state))
    // A command that was answered before gets the same answer.
    _ = try await rig.store.remove(parent, removal: nil, itemID: rig.random.bytes(16), at: 5)
    try await rig.pair(parent, .parent)
    #expect(try await rig.receive([item], epoch: 9, from: parent).appliedCommands == 0)
    #expect(try await receipts(parent).map(\.outcome) == [.executed(state)])
  }
}
