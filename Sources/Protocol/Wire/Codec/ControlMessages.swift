import LatchkeyModel

extension Latchkey_V1_KeyRotation {
  init(_ rotation: KeyRotation) {
    self.init()
    generation = UInt64(clamping: rotation.generation)
    discoveryKey = WireBytes(rotation.discoveryKey)
    pairwiseKey = WireBytes(rotation.pairwiseKey)
    replaces = WireBytes(rotation.replaces)
  }

  func value() throws(WireError) -> KeyRotation {
    guard let generation = Int64(exactly: generation), generation > 0
    else { throw WireError("key generation \(generation)") }
    guard discoveryKey.count == 32, pairwiseKey.count == 32, replaces.count == 8
    else { throw WireError("keys of \(discoveryKey.count), \(pairwiseKey.count) and \(replaces.count) bytes") }
    return KeyRotation(
      generation: generation, discoveryKey: Array(discoveryKey), pairwiseKey: Array(pairwiseKey),
      replaces: Array(replaces))
  }
}

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

/// The encoding of a removal's body (Protocol/06-messages.md §7).
public enum RemovalCodec {
  /// Returns the body of a removal with a signature of 64 bytes.
  public static func encode(signature: [UInt8]) -> [UInt8] {
    var message = Latchkey_V1_Removal()
    message.signature = WireBytes(signature)
    return message.wireBytes
  }

  /// Returns the signature in the body of a removal; throws `WireError`, the peer's fault.
  public static func signature(_ body: [UInt8]) throws(WireError) -> [UInt8] {
    let message = try Latchkey_V1_Removal(wire: body)
    guard message.signature.count == 64 else { throw WireError("a signature of \(message.signature.count) bytes") }
    return Array(message.signature)
  }
}
