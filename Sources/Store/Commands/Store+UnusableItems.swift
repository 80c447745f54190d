import Foundation
import GRDB
import LatchkeyModel

/// The items of a paired device that this machine does not accept.
///
/// Spec: Protocol/06-messages.md §2.
public struct UnusableItems: Hashable, Sendable {
  public var device: DeviceID
  public var items: Int64
  /// The fault of the last one, in one sentence.
  public var reason: String
}

extension Database {
  /// Returns the numbers of ignored items of each paired device.
  func unusableItems() throws -> [UnusableItems] {
    try rows(
      "SELECT u.*, p.device_id FROM unusable_item u JOIN peer p ON p.number = u.peer WHERE p.state = 2 ORDER BY peer"
    ).map { UnusableItems(device: try $0.deviceID("device_id"), items: $0["items"], reason: $0["reason"]) }
  }

  /// Counts items of a peer that cannot be used.
  ///
  /// - Parameters:
  ///   - items: The number of items.
  ///   - peer: The row of the peer.
  ///   - reason: The fault of the last one.
  ///   - wall: The time in Unix milliseconds.
  /// - Throws: The database's error.
  func noteUnusable(_ items: Int, of peer: Int64, _ reason: String, at wall: Int64) throws {
    try run(
      """
      INSERT INTO unusable_item VALUES (?, ?, ?, ?) ON CONFLICT DO UPDATE SET items = items + excluded.items,
        reason = excluded.reason, at = excluded.at
      """, [peer, items, reason, wall])
  }

  /// Deletes the counts of a device and what it told of registers, since it is no longer paired.
  func forgetWhatWasNotTaken(_ peer: Int64) throws {
    for table in ["unusable_item", "told_register"] { try run("DELETE FROM \(table) WHERE peer = ?", [peer]) }
  }
}
