import Foundation
import GRDB
import LatchkeyModel

/// What is shown again when commands are taken back.
///
/// Spec: Protocol/05-delivery.md §10.
extension DatabaseEffects {
  /// Returns a state as the table of commands keeps it; empty for nothing.
  func bytes(_ shown: ShownState) -> [UInt8] { shown.state.map { coding.encode($0) } ?? [] }

  /// Returns what was shown before a command that leaves its queue undelivered; `nil` when that is not known.
  func shownBefore(_ row: Row) throws -> ShownState? {
    guard let state = row["previous"] as Data? else { return nil }
    return ShownState(
      state.isEmpty ? nil : try coding.state([UInt8](state)),
      (row["previous_enforcement"] as String?).flatMap(Enforcement.init(rawValue:)))
  }

  /// Commands that were given on top of one that leaves its queue are now on top of what was shown before that one.
  ///
  /// A thing of one machine has one queued command; what is the family's has one for each machine.
  func unlink(_ row: Row, _ desired: DesiredState) throws {
    guard desired.thing.isFamilyWide else { return }
    try database.run(
      "UPDATE command SET previous = ? WHERE supersede_key = ? AND status = 'queued' AND previous = ?",
      [row["previous"] as Data?, desired.thing.key, Data(bytes(desired.shown))])
  }

  /// Shows what a command leaves behind that is cancelled or has expired.
  ///
  /// That is what the earlier command sets that is queued again, or what was shown before. What has been shown since stays.
  ///
  /// - Parameters:
  ///   - row: A row of the table of commands, with the device's ID.
  ///   - older: The row of the earlier command, which is not queued yet; `nil` for none.
  mutating func restoreShown(before row: Row, older: Row?) throws {
    guard let desired = try coding.command(row.bytes("body")).payload.desired else { return }
    let device = try row.deviceID("device_id")
    try unlink(row, desired)
    let present = try desired.thing.shown(on: device, in: &self)
    let isShown = present.state == desired.shown.state
    var shown = present
    if isShown { shown = try shownBefore(row) ?? shownLast(desired.thing, row["peer"]) }
    if let older, let again = try coding.command(older.bytes("body")).payload.desired {
      if isShown || shown.state != nil, shown.state?.setAt.map({ $0 < again.modified }) ?? true {
        try setShownBefore(older, shown)
        shown = again.shown
      } else {
        try insert(older, again)
      }
    }
    guard isShown || shown.state != present.state else { return }
    try desired.thing.show(shown, on: device, isNews: true, in: &self)
  }

  private func setShownBefore(_ row: Row, _ shown: ShownState) throws {
    try database.run(
      "UPDATE command SET previous = ?, previous_enforcement = ? WHERE command_id = ?",
      [bytes(shown), shown.enforcement?.rawValue, row.bytes("command_id")])
  }

  /// Places a command that is queued again below the first newer one that waits, for a thing of the whole family.
  private func insert(_ older: Row, _ again: DesiredState) throws {
    guard let next = try waiting(above: again).min(by: { $0.modified < $1.modified }) else { return }
    try setShownBefore(older, shownBefore(next.row) ?? ShownState(nil))
    try setShownBefore(next.row, again.shown)
  }

  /// Returns the queued commands for a thing of the whole family that are newer than a state and stand on an older one.
  private func waiting(above desired: DesiredState) throws -> [(row: Row, modified: HybridTimestamp)] {
    guard desired.thing.isFamilyWide else { return [] }
    let rows = try database.rows(
      """
      SELECT command_id, body, previous, previous_enforcement FROM command WHERE status = 'queued' AND supersede_key = ?
      """, [desired.thing.key])
    return try rows.compactMap { row in
      guard let newer = try coding.command(row.bytes("body")).payload.desired, newer.modified > desired.modified,
        try shownBefore(row)?.state?.setAt.map({ $0 < desired.modified }) ?? true
      else { return nil }
      return (row, newer.modified)
    }
  }

  /// Returns what the last other command for a thing set, for a command of which it is not known what was shown before it.
  private func shownLast(_ thing: any HouseholdThing, _ peer: Int64) throws -> ShownState {
    let row = try database.row(
      """
      SELECT body FROM command WHERE supersede_key = ?1 AND (peer = ?2 OR ?3)
        AND status NOT IN ('cancelled', 'failed', 'expired', 'superseded') ORDER BY command_id DESC LIMIT 1
      """, [thing.key, peer, thing.isFamilyWide])
    return try row.flatMap { try coding.command($0.bytes("body")).payload.desired?.shown } ?? ShownState(nil)
  }

  /// Takes from the queue what a newer command for the same thing replaces.
  ///
  /// - Parameter shown: what is shown, which becomes what was shown before the commands that are replaced.
  func supersede(
    _ thing: any HouseholdThing, by newer: CommandID, for peer: Int64, _ shown: inout ShownState?, in group: WriteGroup
  ) throws {
    let superseded = try database.rows(
      """
      SELECT command_id, peer, seq, body, previous, previous_enforcement FROM command
      WHERE peer = ? AND status = 'queued' AND supersede_key = ? ORDER BY command_id DESC
      """, [peer, thing.key])
    // What is taken from a queue is counted in the database itself.
    if !superseded.isEmpty { try group.settle(database) }
    for row in superseded {
      try database.take(
        row, to: .superseded, "A newer command for the same thing was given before this one was stored.",
        replacedBy: newer, at: wall)
      guard thing.isFamilyWide, let desired = try coding.command(row.bytes("body")).payload.desired else {
        shown = try shownBefore(row)
        continue
      }
      try unlink(row, desired)
      if shown?.state == desired.shown.state { shown = try shownBefore(row) }
    }
  }

  /// Sets what is shown again if a newer command for the thing, which waits, is taken back.
  func note(_ shown: ShownState, before desired: DesiredState, for peer: Int64) throws {
    guard desired.thing.isFamilyWide else {
      return try database.run(
        "UPDATE command SET previous = ?, previous_enforcement = ? WHERE peer = ? AND status = 'queued' AND supersede_key = ?",
        [bytes(shown), shown.enforcement?.rawValue, peer, desired.thing.key])
    }
    for row in try waiting(above: desired).map(\.row) { try setShownBefore(row, shown) }
  }
}
