import Foundation
import GRDB
import LatchkeyModel

/// The states that are shown again after commands are cancelled.
///
/// Spec: Protocol/05-delivery.md §10.
extension DatabaseEffects {
  /// Returns a state in the form of the table of commands; empty for none.
  func bytes(_ shown: ShownState) -> [UInt8] { shown.state.map { coding.encode($0) } ?? [] }

  /// Returns the state shown before a command that leaves its queue undelivered; `nil` if it is unknown.
  func shownBefore(_ row: Row) throws -> ShownState? {
    guard let state = row["previous"] as Data? else { return nil }
    return ShownState(
      state.isEmpty ? nil : try coding.state([UInt8](state)),
      (row["previous_enforcement"] as String?).flatMap(Enforcement.init(rawValue:)))
  }

  /// Links the commands issued after one that leaves its queue to the state that was shown before it.
  ///
  /// A thing of one machine has one queued command; a thing of the family has one for each machine.
  func unlink(_ row: Row, _ desired: DesiredState) throws {
    guard desired.thing.isFamilyWide else { return }
    try database.run(
      "UPDATE command SET previous = ? WHERE supersede_key = ? AND status = 'queued' AND previous = ?",
      [row["previous"] as Data?, desired.thing.key, Data(bytes(desired.shown))])
  }

  /// Restores the state shown before a command that is cancelled or has expired, unless another is shown by now.
  ///
  /// - Parameter row: The row of the command, with the device's ID.
  /// - Throws: The database's error.
  mutating func restoreShown(before row: Row) throws {
    guard let desired = try coding.command(row.bytes("body")).payload.desired else { return }
    let device = try row.deviceID("device_id")
    try unlink(row, desired)
    guard try desired.thing.shown(on: device, in: &self).state == desired.shown.state else { return }
    let before = try shownBefore(row) ?? shownLast(desired.thing, row["peer"])
    try desired.thing.show(before, on: device, isNews: true, in: &self)
  }

  /// Returns the state that the last other command for a thing set, for a command without a stored earlier state.
  private func shownLast(_ thing: any HouseholdThing, _ peer: Int64) throws -> ShownState {
    let row = try database.row(
      """
      SELECT body FROM command WHERE supersede_key = ?1 AND (peer = ?2 OR ?3)
        AND status NOT IN ('cancelled', 'failed', 'expired', 'superseded') ORDER BY command_id DESC LIMIT 1
      """, [thing.key, peer, thing.isFamilyWide])
    return try row.flatMap { try coding.command($0.bytes("body")).payload.desired?.shown } ?? ShownState(nil)
  }

  /// Removes the queued commands that a newer command for the same thing replaces.
  ///
  /// - Parameters:
  ///   - thing: The thing that both commands set.
  ///   - peer: The row of the child's machine.
  ///   - shown: The present state; on return, the state that was shown before the replaced commands.
  ///   - group: The group of writes that the changes join.
  /// - Throws: The database's error.
  func supersede(_ thing: any HouseholdThing, for peer: Int64, _ shown: inout ShownState?, in group: WriteGroup) throws
  {
    let superseded = try database.rows(
      """
      SELECT command_id, peer, seq, body, previous, previous_enforcement FROM command
      WHERE peer = ? AND status = 'queued' AND supersede_key = ? ORDER BY command_id DESC
      """, [peer, thing.key])
    // Removed items are counted in the database itself.
    if !superseded.isEmpty { try group.settle(database) }
    for row in superseded {
      try database.take(
        row, to: .superseded, "A newer command for the same thing was given before this one was stored.", at: wall)
      guard thing.isFamilyWide, let desired = try coding.command(row.bytes("body")).payload.desired else {
        shown = try shownBefore(row)
        continue
      }
      try unlink(row, desired)
      if shown?.state == desired.shown.state { shown = try shownBefore(row) }
    }
  }

  /// Sets the state to show if a newer command for the thing, which waits, is cancelled.
  func note(_ shown: ShownState, before desired: DesiredState, for peer: Int64) throws {
    guard desired.thing.isFamilyWide else {
      return try database.run(
        "UPDATE command SET previous = ?, previous_enforcement = ? WHERE peer = ? AND status = 'queued' AND supersede_key = ?",
        [bytes(shown), shown.enforcement?.rawValue, peer, desired.thing.key])
    }
    let waiting = try database.rows(
      """
      SELECT command_id, body, previous, previous_enforcement FROM command WHERE status = 'queued' AND supersede_key = ?
      """, [desired.thing.key])
    for row in waiting {
      guard let newer = try coding.command(row.bytes("body")).payload.desired, newer.modified > desired.modified,
        try shownBefore(row)?.state?.setAt.map({ $0 < desired.modified }) ?? true
      else { continue }
      try database.run(
        "UPDATE command SET previous = ? WHERE command_id = ?", [bytes(shown), row.bytes("command_id")])
    }
  }
}
