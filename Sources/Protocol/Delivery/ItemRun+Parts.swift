import LatchkeyModel

extension ItemRun {
  /// Returns the run in as few parts as possible so that each fits a frame.
  ///
  /// An item that exceeds the size is a part of its own.
  ///
  /// `bytes` is the size of the encoded items in one part; by default, the smallest space that a
  /// batch has for them.
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
