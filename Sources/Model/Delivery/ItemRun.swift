/// Items of one stream with consecutive numbers, as one batch carries them.
public struct ItemRun: Hashable, Sendable {
  public var streamClass: StreamClass
  public var epoch: UInt64
  public var items: [DeliveryItem]

  public init(streamClass: StreamClass, epoch: UInt64, items: [DeliveryItem]) {
    self.streamClass = streamClass
    self.epoch = epoch
    self.items = items
  }
}
