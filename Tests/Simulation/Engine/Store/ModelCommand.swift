import LatchkeyModel

/// A command in the store of its sender.
package struct ModelCommand: Sendable {
  package let id: CommandID
  package let target: DeviceID
  package let payload: CommandPayload
  package let body: [UInt8]
  package var status = CommandStatus.queued
  package var sequence: UInt64
  /// The epoch of the stream in which the command has the number `sequence`.
  package var epoch: UInt64
  package var hasState = false
  package var waitsFor: String?
  package var expiresAt: Int64?
  /// For the oracle: its position among all queued commands, and the pairing in which it was
  /// issued.
  package let order: Int
  package let pairing: Int
}

/// A child's stored answer to a command.
package struct ModelReceipt: Sendable {
  package var body: [UInt8]
  package var peer: DeviceID
  package var epoch: UInt64
  package var sequence: UInt64
}

/// For the oracle: a command that took effect.
package struct ModelEffect: Sendable {
  package let id: CommandID
  package let author: DeviceID
  package let epoch: UInt64
  package let pairing: Int
}
