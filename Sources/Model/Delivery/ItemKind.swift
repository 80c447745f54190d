/// What an item's body is. A number not listed is of a newer version: it is stored as seen, reported and never stops a stream.
public struct ItemKind: RawRepresentable, Hashable, Sendable {
  public let rawValue: UInt32

  public init(rawValue: UInt32) {
    self.rawValue = rawValue
  }

  /// A place in the stream that holds nothing any more: a cancelled, superseded or expired item.
  public static let skip = ItemKind(rawValue: 0)
  public static let command = ItemKind(rawValue: 1)
  public static let receipt = ItemKind(rawValue: 2)
  public static let usageRecord = ItemKind(rawValue: 3)
  /// The sender has removed the receiver from its household.
  public static let removal = ItemKind(rawValue: 4)
  /// New keys, because another device was removed.
  public static let keyRotation = ItemKind(rawValue: 5)
  /// What was dropped from a full usage queue.
  public static let usageLoss = ItemKind(rawValue: 6)
  /// The sender has not taken items of the receiver's.
  public static let refusal = ItemKind(rawValue: 7)
}
