import Foundation
import GRDB
import LatchkeyModel

extension Database {
  /// Returns the usage of other devices that was dropped before it reached this one, as a sum for
  /// each device.
  func losses() throws -> [UsageLoss] {
    try rows(
      """
      SELECT max(loss_id) AS loss_id, device_id, CAST(total(records) AS INTEGER) AS records,
        CAST(total(sessions) AS INTEGER) AS sessions, CAST(total(active) AS INTEGER) AS active,
        CAST(total(earned) AS INTEGER) AS earned, MIN(first_start) AS first_start, MAX(last_end) AS last_end
      FROM usage_loss WHERE peer IS NULL GROUP BY device_id ORDER BY device_id
      """
    ).compactMap { row in
      guard let id = RecordID(bytes: row["loss_id"] as Data) else { return nil }
      return UsageLoss(
        lossID: id, device: try row.deviceID("device_id"), records: row["records"], sessions: row["sessions"],
        activeMilliseconds: row["active"], earnedMilliPoints: row["earned"], firstStart: row["first_start"],
        lastEnd: row["last_end"])
    }
  }

  /// Stores a report of dropped usage.
  ///
  /// A repeated report is stored once.
  ///
  /// `parent` is given on the child, for the parent whose queue had no space.
  func keep(_ loss: UsageLoss, parent: Int64?, at wall: Int64) throws {
    try run(
      "INSERT INTO usage_loss VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING",
      [
        Data(loss.lossID.bytes), Data(loss.device.bytes), parent, loss.records, loss.sessions, loss.activeMilliseconds,
        loss.earnedMilliPoints, loss.firstStart, loss.lastEnd, wall,
      ])
    guard changesCount > 0 else { return }
    try audit(
      "usage.dropped", of: loss.lossID.description, new: "\(loss.records) records of \(loss.sessions) sessions",
      by: loss.device, at: wall)
  }
}
