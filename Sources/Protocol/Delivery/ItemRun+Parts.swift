import LatchkeyModel
import LatchkeyWire

extension ItemRun {
  /// The run in as few parts as fit a frame each; an item that is over the size alone is a part of its own.
  ///
  /// - Parameter bytes: of encoded items in one part; the least that a batch has left for them if nothing else is said.
  ///
  /// Spec: Protocol/05-delivery.md §4.
  public func parts(of bytes: Int = Limits.batchBytes - 256) -> [ItemRun] {
    var parts: [ItemRun] = []
    var part = ItemRun(streamClass: streamClass, epoch: epoch, items: [])
    var size = 0
    for item in items {
      let itemSize = SessionCodec.encodedSize(of: item)
      if size + itemSize > bytes, !part.items.isEmpty {
        parts.append(part)
        part.items.removeAll(keepingCapacity: true)
        size = 0
      }
      part.items.append(item)
      size += itemSize
    }
    parts.append(part)
    return parts
  }
}
