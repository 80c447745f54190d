import LatchkeyModel

/// A command as its sender's store holds it.
package struct ModelCommand: Sendable {
  package let id: CommandID
  package let target: DeviceID
  package let payload: CommandPayload
  package let body: [UInt8]
  package var status = CommandStatus.queued
  package var sequence: UInt64
  /// The epoch of the stream in which `sequence` is its number; `nil` if a restart left it out.
  package var epoch: UInt64?
  package var hasState = false
  package let supersedeKey: String?
  /// What was shown before it; `nil` when that is not known.
  package var previous: ShownState?
  package var waitsFor: String?
  package var expiresAt: Int64?
  /// The command that took its place; `nil` for none, or once one of them is answered.
  package var replacedBy: CommandID?
  /// Of whoever checks: its places among all that were queued, and the pairing it was given in.
  package var orders: [Int]
  package let pairing: Int
}

/// The answer that a child's store keeps for a command.
package struct ModelReceipt: Sendable {
  package var body: [UInt8]
  package var peer: DeviceID
  package var epoch: UInt64
  package var sequence: UInt64
}

/// One command that took effect, as whoever checks wants it.
package struct ModelEffect: Sendable {
  package let id: CommandID
  package let author: DeviceID
  package let epoch: UInt64
  package let pairing: Int
}
