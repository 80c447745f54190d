import GRDB
import LatchkeyModel

/// A kind of item that this version handles, in its class.
///
/// Spec: Protocol/06-messages.md §2.
///
/// An item without a handler in `ItemHandlers.all` is ignored, and its sender is told.
protocol ItemHandler: Sendable {
  associatedtype Body: Sendable

  static var streamClass: StreamClass { get }
  static var kind: ItemKind { get }

  /// Decodes a body before the transaction begins, so that a transaction does not wait for it.
  static func read(_ body: [UInt8], _ coding: any BodyCoding) throws(BodyFault) -> Body
  /// Brings an item into force.
  static func apply(_ item: DeliveryItem, _ body: Result<Body, BodyFault>, in inbox: inout InboxTransaction) throws
  /// Returns the content of an item that waits for a peer, for a person who looks into the queue.
  static func content(
    _ item: (id: [UInt8], body: [UInt8]), own: DeviceID, _ coding: any BodyCoding, _ database: Database
  ) throws -> QueueEntry.Content
}

extension ItemHandler {
  /// Secrets and signatures are not shown.
  static func content(
    _ item: (id: [UInt8], body: [UInt8]), own: DeviceID, _ coding: any BodyCoding, _ database: Database
  ) throws -> QueueEntry.Content { .control }
}

/// The kinds of item that this version handles.
enum ItemHandlers {
  struct Place: Hashable, Sendable {
    var streamClass: StreamClass
    var kind: ItemKind
  }

  static let all: [Place: any ItemHandler.Type] = {
    let handlers: [any ItemHandler.Type] = [
      CommandItem.self, ReceiptItem.self, UsageRecordItem.self, UsageLossItem.self, RemovalItem.self,
      KeyRotationItem.self, RefusalItem.self, ParentsItem.self, RegistersItem.self, AccountsItem.self,
      FactsItem.self,
      RunningItem.self,
      InstalledItem.self,
    ]
    return Dictionary(uniqueKeysWithValues: handlers.map { (Place(streamClass: $0.streamClass, kind: $0.kind), $0) })
  }()
}

/// A received item with its decoded body.
struct DecodedItem: Sendable {
  let item: DeliveryItem
  private let take: (@Sendable (DeliveryItem, inout InboxTransaction) throws -> Void)?

  /// Decodes the item's body if this version handles its kind in that class.
  init(_ item: DeliveryItem, in streamClass: StreamClass, _ coding: any BodyCoding) {
    self.item = item
    take = ItemHandlers.all[.init(streamClass: streamClass, kind: item.kind)].map { Self.reading(item, $0, coding) }
  }

  private static func reading<Handler: ItemHandler>(
    _ item: DeliveryItem, _ handler: Handler.Type, _ coding: any BodyCoding
  ) -> @Sendable (DeliveryItem, inout InboxTransaction) throws -> Void {
    let body: Result<Handler.Body, BodyFault>
    do { body = .success(try handler.read(item.body, coding)) } catch { body = .failure(error) }
    return { try Handler.apply($0, body, in: &$1) }
  }

  /// Brings the item into force, and returns whether this version handles its kind.
  func apply(in inbox: inout InboxTransaction) throws -> Bool {
    guard let take else { return false }
    try take(item, &inbox)
    return true
  }
}

/// Received items with their decoded bodies.
struct DecodedRun: Sendable {
  let streamClass: StreamClass
  let epoch: UInt64
  let items: [DecodedItem]

  init(_ run: ItemRun, _ coding: any BodyCoding) {
    streamClass = run.streamClass
    epoch = run.epoch
    items = run.items.map { DecodedItem($0, in: run.streamClass, coding) }
  }
}

/// The numbers of classes and kinds, for SQL statements.
enum ItemNumber {
  static let control = StreamClass.control.rawValue
  static let command = StreamClass.command.rawValue
  static let receipt = StreamClass.receipt.rawValue
  static let usage = StreamClass.usage.rawValue
  static let commandItem = ItemKind.command.rawValue
  static let keyRotation = ItemKind.keyRotation.rawValue
  static let usageRecord = ItemKind.usageRecord.rawValue
  static let usageLoss = ItemKind.usageLoss.rawValue
}
