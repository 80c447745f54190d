/// The reason why a device refused an item that has no receipt.
///
/// Spec: Protocol/06-messages.md §9.
public enum RefusalReason: UInt32, Codable, Sendable, Hashable, CaseIterable {
  /// The body is malformed, or a value in it is invalid.
  case unreadable = 1
  /// The ID in the body differs from that of the item.
  case wrongID = 2
  /// It concerns another device than its sender, or answers a request to another one.
  case foreign = 3
  /// Devices of the sender's role may not send it.
  case role = 4
  /// The receiver's version does not know its kind.
  case unknownKind = 5
  /// The receiver has no room for more of its kind.
  case noRoom = 6

  /// The words that follow "which", for one item or several.
  public var words: String {
    switch self {
    case .unreadable: "cannot be read there"
    case .wrongID: "came under the ID of something else"
    case .foreign: "told of another machine"
    case .role: "this machine may not send"
    case .unknownKind: "its version does not know"
    case .noRoom: "it has no room for"
    }
  }
}

/// An item that the receiver of a stream refused.
public struct RefusedItem: Hashable, Sendable {
  public var streamClass: StreamClass
  public var kind: ItemKind
  /// The ID of the item, 16 bytes.
  public var itemID: [UInt8]
  public var reason: RefusalReason

  public init(streamClass: StreamClass, kind: ItemKind, itemID: [UInt8], reason: RefusalReason) {
    self.streamClass = streamClass
    self.kind = kind
    self.itemID = itemID
    self.reason = reason
  }
}

/// The notice to a sender that its items were refused: the body of an item of kind 7.
///
/// Spec: Protocol/06-messages.md §9.
public struct RefusalNotice: Hashable, Sendable {
  /// The refused items, at most `Limits.refusalItems`.
  public var items: [RefusedItem]
  /// The total number of the receiver's items that the sender has refused since they were paired,
  /// including these.
  public var total: Int64

  public init(items: [RefusedItem], total: Int64) {
    self.items = items
    self.total = total
  }
}

/// The items of one kind that another device refused, according to its notices.
public struct RefusalTally: Hashable, Sendable {
  public var device: DeviceID
  public var kind: ItemKind
  public var reason: RefusalReason
  public var items: Int64

  /// Creates a count of refused items.
  public init(device: DeviceID, kind: ItemKind, reason: RefusalReason, items: Int64) {
    self.device = device
    self.kind = kind
    self.reason = reason
    self.items = items
  }
}

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
