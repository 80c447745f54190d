/// One numbered item of a stream. Spec: Protocol/05-delivery.md §2.
public struct DeliveryItem: Hashable, Sendable {
  /// From 1, without gaps.
  public var sequence: UInt64
  /// For `ItemKind.skip`: the last number of the range that starts at `sequence`; else equal to `sequence`.
  public var skipThrough: UInt64
  public var kind: ItemKind
  /// 16 bytes: a command's, a record's or a receipt's own ID; empty for `skip`.
  public var itemID: [UInt8]
  /// A protobuf message as `kind` says; at most `Limits.itemBodyBytes`.
  public var body: [UInt8]

  public init(sequence: UInt64, kind: ItemKind, itemID: [UInt8], body: [UInt8]) {
    self.sequence = sequence
    self.skipThrough = sequence
    self.kind = kind
    self.itemID = itemID
    self.body = body
  }

  /// A range of numbers that hold nothing any more.
  public init(skipping range: ClosedRange<UInt64>) {
    sequence = range.lowerBound
    skipThrough = range.upperBound
    kind = .skip
    itemID = []
    body = []
  }

  /// Bytes the item counts for in windows and caps.
  public var cost: Int { body.count + itemID.count + 16 }
}
