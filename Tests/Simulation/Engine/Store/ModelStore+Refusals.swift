import LatchkeyModel

/// Refused items.
///
/// Spec: Protocol/06-messages.md §9.
extension ModelStore {
  /// Ignores an unusable item.
  func passOver(
    _ item: DeliveryItem, _ streamClass: StreamClass, _ reason: RefusalReason, _ result: inout ModelInboxResult
  ) {
    result.faults += 1
    guard streamClass != .command, item.kind != .refusal else { return }
    result.refused.append(
      RefusedItem(streamClass: streamClass, kind: item.kind, itemID: item.itemID, reason: reason))
  }

  /// Queues a notice of the ignored items.
  mutating func tellRefusals(_ place: Int, _ result: inout ModelInboxResult) throws(ModelStoreFault) {
    guard !result.refused.isEmpty, !result.wasRemoved else { return }
    peers[place].refusedHere += Int64(result.refused.count)
    var waiting = Int64(peers[place].outgoing[.control]?.items.count { $0.kind == .refusal } ?? 0)
    for start in stride(from: 0, to: result.refused.count, by: Limits.refusalItems)
    where waiting < Limits.refusalNotices {
      let items = Array(result.refused[start..<min(start + Limits.refusalItems, result.refused.count)])
      let body = coding.encode(RefusalNotice(items: items, total: peers[place].refusedHere))
      result.changes.append(
        try enqueue(
          place, .control, kind: .refusal, itemID: Array(sources.keys.freshKey().prefix(16)), body: body,
          caps: QueueCaps()))
      waiting += 1
    }
  }

  /// Stores which items the peer refused.
  mutating func applyRefusal(_ item: DeliveryItem, _ place: Int, _ result: inout ModelInboxResult) {
    guard let notice = try? coding.refusalNotice(item.body) else {
      return passOver(item, .control, .unreadable, &result)
    }
    peers[place].refusedThere = max(peers[place].refusedThere, notice.total)
    for refused in notice.items {
      let isKnown = peers[place].refusedItems.contains { $0.kind == refused.kind && $0.itemID == refused.itemID }
      if isKnown { continue }
      peers[place].refusedItems.append(refused)
      tally(place, refused.streamClass, .refused, 1)
    }
    peers[place].refusedItems = peers[place].refusedItems.suffix(Limits.refusedItems)
  }
}
