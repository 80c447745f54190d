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
    (self.streamClass, self.kind, self.itemID, self.reason) = (streamClass, kind, itemID, reason)
  }
}

/// The notice to a sender that its items were refused: the body of an item of kind 7.
///
/// Spec: Protocol/06-messages.md §9.
public struct RefusalNotice: Hashable, Sendable {
  /// The refused items, at most `Limits.refusalItems`.
  public var items: [RefusedItem]
  /// The number of items that the sender has refused since the pairing, with these.
  public var total: Int64

  public init(items: [RefusedItem], total: Int64) { (self.items, self.total) = (items, total) }
}

/// The items of one kind that another device refused, according to its notices.
public struct RefusalTally: Hashable, Sendable {
  public var device: DeviceID
  public var kind: ItemKind
  public var reason: RefusalReason
  public var items: Int64

  public init(device: DeviceID, kind: ItemKind, reason: RefusalReason, items: Int64) {
    (self.device, self.kind, self.reason, self.items) = (device, kind, reason, items)
  }
}

/// The reason why an item could not be decoded or executed, the fault of its sender.
public struct BodyFault: Error, Hashable, Sendable, CustomStringConvertible {
  public var description: String
  /// The same as a phrase, where a person is likely to read it; `nil` otherwise.
  public var phrase: Phrase?
  /// The reason that a notice reports if the item has no receipt.
  public var reason: RefusalReason

  public init(_ description: String, _ reason: RefusalReason = .unreadable) {
    (self.description, self.reason) = (description, reason)
  }

  /// Creates a fault that people read in their own language.
  public init(phrase: Phrase, _ reason: RefusalReason = .unreadable) {
    self.init(phrase.worded(), reason)
    self.phrase = phrase
  }

  /// The sentence for the sender.
  public var told: ToldSentence { ToldSentence(english: description, phrase: phrase) }
}
