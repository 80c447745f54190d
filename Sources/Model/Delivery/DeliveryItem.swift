/// One numbered item of a stream.
///
/// Spec: Protocol/05-delivery.md §2.
public struct DeliveryItem: Hashable, Sendable {
  /// The number, counted from 1 without gaps.
  public var sequence: UInt64
  /// The last number of the range of a `skip`; otherwise equal to `sequence`.
  public var skipThrough: UInt64
  public var kind: ItemKind
  /// The ID of the command, record or receipt, 16 bytes; empty for `skip`.
  public var itemID: [UInt8]
  /// A protobuf message according to `kind`, at most `Limits.itemBodyBytes`.
  public var body: [UInt8] { didSet { prepared = PreparedBody() } }
  /// The body as a store decoded it before its transaction.
  package var prepared = PreparedBody()

  public init(sequence: UInt64, kind: ItemKind, itemID: [UInt8], body: [UInt8]) {
    (self.sequence, self.skipThrough, self.kind, self.itemID, self.body) = (sequence, sequence, kind, itemID, body)
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

/// A decoded body, in a form that only the store knows.
///
/// It is derived from the body, so a comparison of items ignores it.
package struct PreparedBody: Hashable, Sendable {
  /// The content; `nil` if nothing has been decoded yet.
  package let content: (any AnyObject & Sendable)?

  package init(_ content: (any AnyObject & Sendable)? = nil) { self.content = content }

  package static func == (_: PreparedBody, _: PreparedBody) -> Bool { true }
  package func hash(into _: inout Hasher) {}
}

/// Items of one stream with consecutive numbers, as one batch carries them.
public struct ItemRun: Hashable, Sendable {
  public var streamClass: StreamClass
  public var epoch: UInt64
  /// The items in the order of their numbers.
  public var items: [DeliveryItem]

  public init(streamClass: StreamClass, epoch: UInt64, items: [DeliveryItem]) {
    (self.streamClass, self.epoch, self.items) = (streamClass, epoch, items)
  }
}

/// The kind of an item's body.
///
/// A number that is not listed belongs to a newer version: the item is acknowledged and reported,
/// and never stops a stream.
public struct ItemKind: RawRepresentable, Hashable, Sendable {
  public let rawValue: UInt32

  public init(rawValue: UInt32) { self.rawValue = rawValue }

  /// A number whose item was cancelled, merged or dropped, or has expired.
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
  /// An inventory: a list in which a child's machine reports on itself.
  public static let inventory = ItemKind(rawValue: 8)
  /// Registers that the sender, a child's machine, holds.
  public static let registers = ItemKind(rawValue: 9)
  /// Facts about children.
  public static let facts = ItemKind(rawValue: 11)
}

/// A coding of values as item bodies, so that the store does not know the wire format.
public protocol BodyCoding: Sendable {
  /// The kinds of command that the coding supports.
  var commands: CommandRegistry { get }
  /// The kinds of fact that the coding supports.
  var factKinds: FactRegistry { get }

  func encode(_ command: CommandBody) -> [UInt8]
  func encode(_ receipt: CommandReceipt) -> [UInt8]
  func encode(_ record: UsageRecord) -> [UInt8]
  func encode(_ loss: UsageLoss) -> [UInt8]
  func encode(_ state: StateInForce) -> [UInt8]
  func encode(_ rotation: KeyRotation) -> [UInt8]
  func encode(_ notice: RefusalNotice) -> [UInt8]
  func encode(_ inventory: Inventory) -> [UInt8]
  func encode(_ registers: [Register]) -> [UInt8]
  func encode(_ facts: [Fact]) -> [UInt8]

  /// Decodes a body; throws `BodyFault`, the sender's fault, if it is malformed or unknown.
  func command(_ body: [UInt8]) throws(BodyFault) -> CommandBody
  func receipt(_ body: [UInt8]) throws(BodyFault) -> CommandReceipt
  func usageRecord(_ body: [UInt8]) throws(BodyFault) -> UsageRecord
  func usageLoss(_ body: [UInt8]) throws(BodyFault) -> UsageLoss
  func state(_ body: [UInt8]) throws(BodyFault) -> StateInForce
  func rotation(_ body: [UInt8]) throws(BodyFault) -> KeyRotation
  func refusalNotice(_ body: [UInt8]) throws(BodyFault) -> RefusalNotice
  /// Decodes a part of an inventory without checking its entries.
  func inventory(_ body: [UInt8]) throws(BodyFault) -> Inventory
  func registers(_ body: [UInt8]) throws(BodyFault) -> [Register]
  func facts(_ body: [UInt8]) throws(BodyFault) -> [Fact]
}

/// The reason why a device refused an item that has no receipt.
///
/// Spec: Protocol/06-messages.md §9.
public enum RefusalReason: UInt32, Codable, Sendable, Hashable, CaseIterable {
  /// The body is malformed, or a value in it is invalid.
  case unreadable = 1
  /// The ID in the body differs from that of the item.
  case wrongID = 2
  /// It is about a device other than its sender, or answers a request to another device.
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
