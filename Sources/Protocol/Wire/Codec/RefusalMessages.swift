import LatchkeyModel

extension Latchkey_V1_Refusal {
  init(_ notice: RefusalNotice) {
    self.init()
    total = UInt64(clamping: notice.total)
    items = notice.items.map { item in
      var message = Latchkey_V1_Refusal.Item()
      message.streamClass = UInt32(item.streamClass.rawValue)
      message.kind = item.kind.rawValue
      message.id = WireBytes(item.itemID)
      message.reason = item.reason.rawValue
      return message
    }
  }

  func value() throws(WireError) -> RefusalNotice {
    guard items.count <= Limits.refusalItems else { throw WireError("\(items.count) refused items") }
    guard total < 1 << 48 else { throw WireError("\(total) refused items in all") }
    var notice = RefusalNotice(items: [], total: Int64(clamping: total))
    for item in items {
      guard item.id.count == 16 else { throw WireError("an item ID of \(item.id.count) bytes") }
      notice.items.append(
        RefusedItem(
          streamClass: try StreamClass(wire: item.streamClass), kind: ItemKind(rawValue: item.kind),
          // A later version may have more reasons than this one knows.
          itemID: Array(item.id), reason: RefusalReason(rawValue: item.reason) ?? .unreadable))
    }
    return notice
  }
}
