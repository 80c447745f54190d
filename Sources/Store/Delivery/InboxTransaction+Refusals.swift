import Foundation
import GRDB
import LatchkeyModel

/// The handling of ignored items, whose sender is told in the same transaction. Spec:
/// Protocol/06-messages.md §9.
extension InboxTransaction {
  /// Ignores an item that cannot be used.
  mutating func passOver(_ item: DeliveryItem, _ streamClass: StreamClass, _ fault: BodyFault) {
    result.faults.append(fault.description)
    // A command is answered by its receipt, and a refusal is never refused, since two machines
    // might otherwise continue forever.
    guard streamClass != .command, item.kind != .refusal else { return }
    refused.append(
      RefusedItem(streamClass: streamClass, kind: item.kind, itemID: item.itemID, reason: fault.reason))
  }

  /// Queues a notice of the ignored items.
  ///
  /// Items that do not fit are included in the total that the next notice states.
  mutating func tellRefusals() throws {
    guard !refused.isEmpty, !result.wasRemoved else { return }
    let total =
      try database.first(
        """
        INSERT INTO refusal_count VALUES (?, ?, 0) ON CONFLICT DO UPDATE SET here = here + excluded.here RETURNING here
        """, [peer.number, refused.count], { $0.integer(0) }) ?? 0
    var waiting =
      try database.first(
        "SELECT COUNT(*) FROM outbox_item WHERE peer = ? AND class = ? AND kind = ?",
        [peer.number, Int(StreamClass.control.rawValue), ItemKind.refusal.rawValue], { $0.integer(0) }) ?? 0
    for start in stride(from: 0, to: refused.count, by: Limits.refusalItems) where waiting < Limits.refusalNotices {
      let items = Array(refused[start..<min(start + Limits.refusalItems, refused.count)])
      let body = coding.encode(RefusalNotice(items: items, total: total))
      result.changes.append(
        try database.enqueue(
          peer, .control, kind: .refusal, itemID: keys.freshID(), body: body, in: group, at: wall))
      waiting += 1
    }
  }

  /// Stores which items the peer refused.
  mutating func applyRefusal(_ item: DeliveryItem, _ body: Result<RefusalNotice, BodyFault>) throws {
    do {
      let notice = try body.get()
      try database.run(
        "INSERT INTO refusal_count VALUES (?, 0, ?) ON CONFLICT DO UPDATE SET there = max(there, excluded.there)",
        [peer.number, notice.total])
      for refused in notice.items {
        try database.run(
          "INSERT INTO refused_item (peer, kind, item_id, reason, at) VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING",
          [peer.number, refused.kind.rawValue, refused.itemID, refused.reason.rawValue, wall])
        guard database.changesCount > 0 else { continue }
        try database.tally(peer.number, refused.streamClass, .refused, items: 1, at: wall)
      }
      try database.run(
        """
        DELETE FROM refused_item WHERE peer = ?1 AND number <=
          (SELECT number FROM refused_item WHERE peer = ?1 ORDER BY number DESC LIMIT 1 OFFSET ?2)
        """, [peer.number, Limits.refusedItems])
    } catch let fault as BodyFault { passOver(item, .control, fault) }
  }
}
