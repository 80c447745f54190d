/// Why a device did not take an item that has no receipt. Spec: Protocol/06-messages.md §9.
public enum RefusalReason: UInt32, Codable, Sendable, Hashable, CaseIterable {
  /// The body is malformed, or a value in it is not valid.
  case unreadable = 1
  /// The body has another ID than the item.
  case wrongID = 2
  /// It is about another device than the one that sent it, or answers what another one was asked.
  case foreign = 3
  /// A device of the sender's role may not send it.
  case role = 4
  /// The receiver's version does not know its kind.
  case unknownKind = 5

  /// What follows "which", of one item or several.
  public var words: String {
    switch self {
    case .unreadable: "cannot be read there"
    case .wrongID: "came under the ID of something else"
    case .foreign: "told of another machine"
    case .role: "this machine may not send"
    case .unknownKind: "its version does not know"
    }
  }
}

/// An item that the receiver of a stream did not take.
public struct RefusedItem: Hashable, Sendable {
  public var streamClass: StreamClass
  public var kind: ItemKind
  /// 16 bytes.
  public var itemID: [UInt8]
  public var reason: RefusalReason

  public init(streamClass: StreamClass, kind: ItemKind, itemID: [UInt8], reason: RefusalReason) {
    self.streamClass = streamClass
    self.kind = kind
    self.itemID = itemID
    self.reason = reason
  }
}

/// The body of an item of kind 7: tells the sender of items that they were not taken. Spec: Protocol/06-messages.md §9.
public struct RefusalNotice: Hashable, Sendable {
  /// At most `Limits.refusalItems`.
  public var items: [RefusedItem]
  /// How many items of the receiver's the sender has refused since they were paired, these among them.
  public var total: Int64

  public init(items: [RefusedItem], total: Int64) {
    self.items = items
    self.total = total
  }
}

/// Items of one kind that another device refused, as this one was told.
public struct RefusalTally: Hashable, Sendable {
  /// The device that did not take them.
  public var device: DeviceID
  public var kind: ItemKind
  public var reason: RefusalReason
  public var items: Int64

  public init(device: DeviceID, kind: ItemKind, reason: RefusalReason, items: Int64) {
    self.device = device
    self.kind = kind
    self.reason = reason
    self.items = items
  }
}
