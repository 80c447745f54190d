/// The kind of an item's body.
///
/// A number that is not listed belongs to a newer version: the item is acknowledged and reported,
/// and never stops a stream.
public struct ItemKind: RawRepresentable, Hashable, Sendable {
  public let rawValue: UInt32

  public init(rawValue: UInt32) {
    self.rawValue = rawValue
  }

  /// A number without an item, because what it held was cancelled, has expired, or was merged or
  /// dropped.
  public static let skip = ItemKind(rawValue: 0)
  public static let command = ItemKind(rawValue: 1)
  /// The answer to a command.
  public static let receipt = ItemKind(rawValue: 2)
  public static let usageRecord = ItemKind(rawValue: 3)
  /// The notice that the sender has removed the receiver from its household.
  public static let removal = ItemKind(rawValue: 4)
  /// New keys, because another device was removed.
  public static let keyRotation = ItemKind(rawValue: 5)
  /// The record of usage that was dropped from a full queue.
  public static let usageLoss = ItemKind(rawValue: 6)
  /// The notice that the sender refused items of the receiver.
  public static let refusal = ItemKind(rawValue: 7)
  /// A list that a child's machine gives of itself.
  public static let inventory = ItemKind(rawValue: 8)
  /// Registers that the sender, a child's machine, holds.
  public static let registers = ItemKind(rawValue: 9)
  /// Facts about children.
  public static let facts = ItemKind(rawValue: 11)
}
