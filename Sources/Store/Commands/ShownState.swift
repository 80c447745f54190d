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
  /// That is what the earlier command sets that is queued again, or what was shown before. What has been shown since stays.
  ///
  /// `row` is of the table of commands, with the device's ID; `older` is that of the earlier command, which is not queued yet.
  mutating func restoreShown(before row: Row, older: Row?) throws {
    guard let desired = try coding.command(row.bytes("body")).payload.desired else { return }
    let device = try row.deviceID("device_id")
    try unlink(row, desired)
    let present = try desired.thing.shown(on: device, in: &self)
    // A removal has no state to show: if nothing is shown, that may be due to a later command that holds.
    let isShown =
      try present.state == desired.shown.state && (present.state != nil || !isReplaced(row.bytes("command_id")))
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

  /// Returns whether a later command for the same thing is waiting or in force; a rule that is no longer shown may have
  /// been cancelled too late.
  func isReplaced(_ command: [UInt8]) throws -> Bool {
    try database.first(
      """
      SELECT 1 FROM command JOIN command later ON later.peer = command.peer
        AND later.supersede_key = command.supersede_key AND later.command_id > command.command_id
        AND later.status IN ('queued', 'stored', 'executed')
      WHERE command.command_id = ? LIMIT 1
      """, [command], { _ in true }) ?? false
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
  /// `shown` is the state that is shown. It becomes the one that was shown before the commands that are replaced.
  func supersede(
    _ thing: any HouseholdThing, by newer: CommandID, for peer: Int64, _ shown: inout ShownState?, in group: WriteGroup
  ) throws {
    let superseded = try database.rows(
      """
      SELECT command_id, peer, seq, body, previous, previous_enforcement FROM command
      WHERE peer = ? AND status = 'queued' AND supersede_key = ? ORDER BY command_id DESC
      """, [peer, thing.key])
    // Removed items are counted in the database itself.
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

  /// Sets the state to show if a newer command for the thing, which waits, is cancelled.
  func note(_ shown: ShownState, before desired: DesiredState, for peer: Int64) throws {
    guard desired.thing.isFamilyWide else {
      return try database.run(
        "UPDATE command SET previous = ?, previous_enforcement = ? WHERE peer = ? AND status = 'queued' AND supersede_key = ?",
        [bytes(shown), shown.enforcement?.rawValue, peer, desired.thing.key])
    }
    for row in try waiting(above: desired).map(\.row) { try setShownBefore(row, shown) }
  }
}
