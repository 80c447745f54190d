import LatchkeyModel

/// A command as its sender's store holds it.
package struct ModelCommand: Sendable {
  package let id: CommandID
  package let target: DeviceID
  package let payload: CommandPayload
  package let body: [UInt8]
  package var status = CommandStatus.queued
  package var sequence: UInt64
  /// The epoch of the stream in which `sequence` is its number.
  package var epoch: UInt64
  package var hasState = false
  package var waitsFor: String?
  package var expiresAt: Int64?
  /// Of whoever checks: its place among all that were queued, and the pairing it was given in.
  package let order: Int
  package let pairing: Int
}

/// The answer that a child's store keeps for a command.
package struct ModelReceipt: Sendable {
  package var body: [UInt8]
  package var peer: DeviceID
  package var epoch: UInt64
  package var sequence: UInt64
}

/// A command that took effect, for the oracle.
package struct ModelEffect: Sendable {
  package let id: CommandID
  package let author: DeviceID
  package let epoch: UInt64
  package let pairing: Int
}
