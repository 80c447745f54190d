import LatchkeyHousehold
import LatchkeyModel

/// A made-up command with an effect outside the database.
///
/// An agent must lock something, and the receipt waits for the agent. No kind of this version does
/// only that.
package struct SimulatedLock: CommandDefinition {
  package static let kind: CommandKind = "simulatedLock"
  package static let states: [any CommandState.Type] = [SimulatedLockState.self]
  /// The time limit for the agent, in milliseconds.
  package static let within: Int64 = 40 * 86_400_000

  package var state: SimulatedLockState

  package init(level: Int64) { state = SimulatedLockState(level: level) }
  package init(bytes: [UInt8]) throws(BodyFault) { state = try SimulatedLockState(bytes: bytes) }

  package var bytes: [UInt8] { state.bytes }
  package var summary: String { "lock \(state.level)" }

  package func execute(
    _ command: CommandContext, in transaction: inout some EffectTransaction
  ) throws -> EffectOutcome {
    .underWay(EffectWait("the agent", within: Self.within))
  }

  package func isAnswered(by state: StateInForce) -> Bool { state == StateInForce(self.state) }
}

/// The reported state of a simulated lock.
package struct SimulatedLockState: CommandState {
  package static let kind: CommandKind = "simulatedLock"

  package var level: Int64

  package init(level: Int64) { self.level = level }

  package init(bytes: [UInt8]) throws(BodyFault) {
    guard bytes.count == 8 else { throw BodyFault("a lock of \(bytes.count) bytes") }
    level = Int64(bitPattern: bytes.reduce(0) { $0 << 8 | UInt64($1) })
  }

  package var bytes: [UInt8] {
    (0..<8).reversed().map { UInt8(truncatingIfNeeded: UInt64(bitPattern: level) >> (8 * $0)) }
  }

  package var summary: String { "locked at \(level)" }
}

extension CommandRegistry {
  /// The kinds of this version, and the made-up one.
  package static let simulated = CommandRegistry(household: [SimulatedLock.self])
}
