import LatchkeyHousehold
import LatchkeyModel
import LatchkeyTestSupport

/// A kind of command whose effect something outside the database carries out; no kind of this version does that.
///
/// What it sets is kept at once, as a rule that an agent has to enforce, and the receipt waits for the agent.
package struct SimulatedLock: CommandDefinition {
  package static let kind: CommandKind = "simulatedLock"
  package static let states: [any CommandState.Type] = [SimulatedLockState.self]
  /// Milliseconds within which the agent has to have carried it out.
  package static let within: Int64 = 40 * 86_400_000

  package var state: SimulatedLockState

  package init(level: Int64, modified: HybridTimestamp) {
    state = SimulatedLockState(level: level, modified: modified)
  }

  package init(bytes: [UInt8]) throws(BodyFault) { state = try SimulatedLockState(bytes: bytes) }

  package var bytes: [UInt8] { state.bytes }
  package var desired: DesiredState? {
    DesiredState(SimulatedLockThing(), StateInForce(state), modified: state.modified)
  }
  package var summary: String { "lock \(state.level)" }

  package func execute(
    _ command: CommandContext, in transaction: inout some EffectTransaction
  ) throws -> EffectOutcome {
    guard let desired else { return .failed(reason: "There is nothing to lock: give the command again.") }
    let outcome = try desired.takeEffect(in: &transaction)
    guard case .done = outcome else { return outcome }
    return .underWay(EffectWait("the agent", within: Self.within))
  }
}

/// The reported state of a simulated lock.
package struct SimulatedLockState: CommandState {
  package static let kind: CommandKind = "simulatedLock"

  package var level: Int64
  package var modified: HybridTimestamp

  package init(level: Int64, modified: HybridTimestamp) {
    self.level = level
    self.modified = modified
  }

  package init(bytes: [UInt8]) throws(BodyFault) {
    func number(_ places: Range<Int>) -> UInt64 { bytes[places].reduce(0) { $0 << 8 | UInt64($1) } }
    guard bytes.count == 40, let author = DeviceID(bytes: bytes[20...]) else {
      throw BodyFault("a lock of \(bytes.count) bytes")
    }
    level = Int64(bitPattern: number(0..<8))
    modified = HybridTimestamp(
      wall: Int64(bitPattern: number(8..<16)), counter: UInt32(truncatingIfNeeded: number(16..<20)), author: author)
  }

  package var bytes: [UInt8] {
    func bytes(_ number: UInt64, _ count: Int) -> [UInt8] {
      (0..<count).reversed().map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
    }
    return bytes(UInt64(bitPattern: level), 8) + bytes(UInt64(bitPattern: modified.wall), 8)
      + bytes(UInt64(modified.counter), 4) + modified.author.bytes
  }

  package var thing: String? { SimulatedLockThing.key }
  package var setAt: HybridTimestamp? { modified }
  package var summary: String { "locked at \(level)" }
}

package struct SimulatedLockThing: HouseholdThing {
  static let key = "simulatedLock"

  package init() {}

  package var key: String { Self.key }
  package var isFamilyWide: Bool { false }

  package func held(in transaction: inout some EffectTransaction) throws -> StateInForce? {
    try transaction.value(key, on: transaction.own).map { StateInForce(try SimulatedLockState(bytes: $0)) }
  }

  package func hold(_ state: StateInForce, in transaction: inout some EffectTransaction) throws {
    try transaction.set(key, on: transaction.own, to: state.value.bytes)
  }

  package func shown(on device: DeviceID, in transaction: inout some EffectTransaction) throws -> ShownState {
    ShownState(try transaction.value(key, on: device).map { StateInForce(try SimulatedLockState(bytes: $0)) })
  }

  package func show(
    _ shown: ShownState, on device: DeviceID, isNews: Bool, in transaction: inout some EffectTransaction
  ) throws {
    try transaction.set(key, on: device, to: shown.state?.value.bytes)
  }
}

extension CommandRegistry {
  /// The kinds of this version, and the made-up ones.
  package static let simulated = CommandRegistry(household: [SimulatedLock.self, SetSample.self])
}
