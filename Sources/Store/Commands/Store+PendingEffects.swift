import Foundation
import GRDB
import LatchkeyModel

/// The pending effects, which something outside the database carries out. Spec:
/// Protocol/05-delivery.md §7.
extension Store {
  /// Returns the effects that have no outcome yet, in the order of their commands.
  ///
  /// Each must be carried out again after a start of the process, since its progress is unknown.
  public func pendingEffects() async throws(StoreError) -> [PendingEffect] {
    let age = age()
    return try await read { [coding] database in
      try database.rows("SELECT * FROM pending_effect ORDER BY command_id").map { row in
        let command = try coding.command(row.bytes("body"))
        return PendingEffect(
          commandID: command.commandID, author: command.author, payload: command.payload,
          wait: EffectWait(
            row.told("waits_for", "wait_phrase") ?? "", within: max(0, row["due_age"] - age),
            held: try (row["state"] as Data?).map { try coding.state([UInt8]($0)) }))
      }
    }
  }

  /// Records the outcome of an effect and queues its receipt, in one transaction; returns the
  /// stream that got the receipt; `nil` if the effect has an outcome already.
  public func finishEffect(
    _ id: CommandID, _ outcome: EffectOutcome, at wall: Int64
  ) async throws(StoreError) -> OutboxChange? {
    if case .underWay = outcome { return nil }
    return try await commits.commitTogether { database, group in
      try database.finishEffect(id, outcome, self, in: group, at: wall)
    }
  }

  /// Ends the effects without an outcome in time, at most 256.
  public func expireEffects(at wall: Int64) async throws(StoreError) -> [OutboxChange] {
    let age = age()
    return try await commits.commitTogether { [coding, clock] database, group in
      let due = try database.rows(
        "SELECT command_id, waits_for, wait_phrase, state FROM pending_effect WHERE due_age <= ? ORDER BY command_id LIMIT 256",
        [age]
      )
      if !due.isEmpty { group.noteAge(clock) }
      return try due.compactMap { row in
        guard let id = CommandID(bytes: row["command_id"] as Data) else { return nil }
        let held = try (row["state"] as Data?).map { try coding.state([UInt8]($0)) }
        let wait = EffectWait(row.told("waits_for", "wait_phrase") ?? "", within: 0, held: held)
        let late = PendingEffect.late(wait)
        return try database.finishEffect(id, late, self, in: group, at: wall)
      }
    }
  }
}

extension Database {
  fileprivate func finishEffect(
    _ id: CommandID, _ outcome: EffectOutcome, _ store: Store, in group: WriteGroup,
    at wall: Int64
  ) throws -> OutboxChange? {
    let peer = try row(
      "SELECT e.peer, p.device_id FROM pending_effect e JOIN peer p ON p.number = e.peer WHERE command_id = ?",
      [Data(id.bytes)])
    guard let peer else { return nil }
    try run("DELETE FROM pending_effect WHERE command_id = ?", [id.bytes])
    let receipt = CommandReceipt(commandID: id, outcome: .init(outcome), at: wall)
    return try queueReceipt(
      id, store.coding.encode(receipt), to: OutboxAddress(number: peer["peer"], device: try peer.deviceID("device_id")),
      isNew: true, caps: store.caps, in: group, at: wall)
  }
}
