/// Items of one stream with consecutive numbers, as one batch carries them.
public struct ItemRun: Hashable, Sendable {
  /// The class of the stream.
  public var streamClass: StreamClass
  /// The epoch of the stream.
  public var epoch: UInt64
  /// The items in the order of their numbers.
  public var items: [DeliveryItem]

  /// Creates a run.
  public init(streamClass: StreamClass, epoch: UInt64, items: [DeliveryItem]) {
    self.streamClass = streamClass
    self.epoch = epoch
    self.items = items
  }
}
