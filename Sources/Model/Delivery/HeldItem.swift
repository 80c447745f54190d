/// The last item of a stream that a receiver has stored and that is not a skip.
///
/// Spec: Protocol/05-delivery.md §4.
public struct HeldItem: Hashable, Sendable {
  /// The class of the stream.
  public var streamClass: StreamClass
  /// The number of the item.
  public var sequence: UInt64
  /// The ID of the item, 16 bytes.
  public var itemID: [UInt8]

  /// Creates a reference to an item.
  public init(streamClass: StreamClass, sequence: UInt64, itemID: [UInt8]) {
    self.streamClass = streamClass
    self.sequence = sequence
    self.itemID = itemID
  }
}
