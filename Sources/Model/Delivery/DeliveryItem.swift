/// One numbered item of a stream.
///
/// Spec: Protocol/05-delivery.md §2.
public struct DeliveryItem: Hashable, Sendable {
  /// The number, counted from 1 without gaps.
  public var sequence: UInt64
  /// For `ItemKind.skip`, the last number of the range that starts at `sequence`; otherwise equal
  /// to `sequence`.
  public var skipThrough: UInt64
  public var kind: ItemKind
  /// The ID of the command, record or receipt, 16 bytes; empty for `skip`.
  public var itemID: [UInt8]
  /// A protobuf message according to `kind`, at most `Limits.itemBodyBytes`.
  public var body: [UInt8]

  public init(sequence: UInt64, kind: ItemKind, itemID: [UInt8], body: [UInt8]) {
    self.sequence = sequence
    self.skipThrough = sequence
    self.kind = kind
    self.itemID = itemID
    self.body = body
  }

  /// Creates a skip for a range of numbers without items.
  public init(skipping range: ClosedRange<UInt64>) {
    sequence = range.lowerBound
    skipThrough = range.upperBound
    kind = .skip
    itemID = []
    body = []
  }

  /// The number of bytes that the item counts for in windows and limits.
  public var cost: Int { body.count + itemID.count + 16 }
}

/// Items of one stream with consecutive numbers, as one batch carries them.
public struct ItemRun: Hashable, Sendable {
  public var streamClass: StreamClass
  public var epoch: UInt64
  /// The items in the order of their numbers.
  public var items: [DeliveryItem]

  public init(streamClass: StreamClass, epoch: UInt64, items: [DeliveryItem]) {
    self.streamClass = streamClass
    self.epoch = epoch
    self.items = items
  }
}
