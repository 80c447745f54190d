import GRDB
import LatchkeyModel

/// A kind of item that this version handles, in its class (Protocol/06-messages.md §2).
///
/// An item without a handler in `ItemHandlers.all` is ignored, and its sender gets a refusal.
struct ItemHandler: Sendable {
  /// Brings an item with its decoded body into force.
  typealias Taking = @Sendable (DeliveryItem, inout InboxTransaction) throws -> Void
  /// Returns the content of an item that waits for a peer, for a person who looks into the queue.
  typealias Content = @Sendable (QueuedItem) throws -> QueueEntry.Content

  /// An item of the queue, with the values that are needed to show it.
  struct QueuedItem {
    var id: [UInt8]
    var body: [UInt8]
    var own: DeviceID
    var coding: any BodyCoding
    var database: Database
  }

  let kind: ItemKind
  let streamClass: StreamClass
  /// Decodes a body, before the transaction begins, so that a transaction does not wait for it.
  let take: @Sendable ([UInt8], any BodyCoding) -> Taking
  let content: Content

  /// Creates a handler of items of a kind in a class.
  ///
  /// `read` returns what decodes a body, and `apply` brings it into force; an item whose body or
  /// effect is at fault is passed over, but commands and receipts treat their faults themselves.
  /// Without `content`, the queue does not show what is in an item: it may be a secret or a
  /// signature.
  init<Body: Sendable>(
    _ kind: ItemKind, in streamClass: StreamClass = .control,
    read: @escaping @Sendable (any BodyCoding) -> ([UInt8]) throws(BodyFault) -> Body,
    content: @escaping Content = { _ in .control },
    apply: @escaping @Sendable (inout InboxTransaction, DeliveryItem, Result<Body, BodyFault>) throws -> Void
  ) {
    self.kind = kind
    self.streamClass = streamClass
    self.content = content
    take = { bytes, coding in
      let body: Result<Body, BodyFault>
      do throws(BodyFault) { body = .success(try read(coding)(bytes)) } catch { body = .failure(error) }
      return { item, inbox in
        do { try apply(&inbox, item, body) } catch let fault as BodyFault
          where streamClass != .command && streamClass != .receipt
        {
          inbox.passOver(item, streamClass, fault)
        }
      }
    }
  }
}

/// A received item with its decoded body.
struct DecodedItem: Sendable {
  let item: DeliveryItem
  private let take: ItemHandler.Taking?

  /// Decodes the item's body if this version handles its kind in that class, unless it has been
  /// decoded before.
  init(_ item: DeliveryItem, in streamClass: StreamClass, _ coding: any BodyCoding) {
    self.item = item
    let place = ItemHandlers.Place(streamClass: streamClass, kind: item.kind)
    if let decoded = item.prepared.content as? DecodedBody, decoded.place == place {
      take = decoded.take
    } else {
      take = ItemHandlers.all[place]?.take(item.body, coding)
    }
  }

  /// Brings the item into force, and returns whether this version handles its kind.
  func apply(in inbox: inout InboxTransaction) throws -> Bool {
    guard let take else { return false }
    try take(item, &inbox)
    return true
  }
}

/// A body that was decoded before the transaction of its item was asked for.
private final class DecodedBody: Sendable {
  let place: ItemHandlers.Place
  let take: ItemHandler.Taking

  init(_ place: ItemHandlers.Place, _ take: @escaping ItemHandler.Taking) { (self.place, self.take) = (place, take) }
}

extension Store {
  /// Decodes the bodies of received items, and keeps them in the items until `receive` is called
  /// with them.
  ///
  /// A link calls this while earlier items are being stored, so that the next transaction can begin
  /// sooner.
  public func prepare(_ run: inout ItemRun) {
    for index in run.items.indices {
      let place = ItemHandlers.Place(streamClass: run.streamClass, kind: run.items[index].kind)
      guard let handler = ItemHandlers.all[place] else { continue }
      run.items[index].prepared = PreparedBody(DecodedBody(place, handler.take(run.items[index].body, coding)))
    }
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

/// The kinds of item that this version handles (Protocol/06-messages.md §2).
enum ItemHandlers {
  struct Place: Hashable, Sendable {
    var streamClass: StreamClass
    var kind: ItemKind
  }

  static let all = Dictionary(
    uniqueKeysWithValues: handlers.map { (Place(streamClass: $0.streamClass, kind: $0.kind), $0) })

  private static let handlers: [ItemHandler] = [
    ItemHandler(
      .command, in: .command, read: { $0.command },
      content: { item in
        guard let id = CommandID(bytes: item.id), let row = try item.database.commandRow(id) else { return .unreadable }
        return .command(try ConfigurationCommand(row, author: item.own, item.coding))
      }, apply: { try $0.applyCommand($1, $2) }),
    ItemHandler(
      .receipt, in: .receipt, read: { $0.receipt },
      content: { item in (try? item.coding.receipt(item.body)).map { .receipt($0) } ?? .unreadable },
      apply: { try $0.applyReceipt($1, $2) }),
    ItemHandler(
      .usageRecord, in: .usage, read: { $0.usageRecord },
      content: { item in (try? item.coding.usageRecord(item.body)).map { .usage($0) } ?? .unreadable },
      apply: { try $0.applyUsage($1, $2) }),
    ItemHandler(
      .usageLoss, in: .usage, read: { $0.usageLoss },
      content: { item in (try? item.coding.usageLoss(item.body)).map { .loss($0) } ?? .unreadable },
      apply: { try $0.applyLoss($1, $2) }),
    // The signature of a removal was verified before it was gathered.
    ItemHandler(.removal, read: { _ in { _ in } }, apply: { inbox, _, _ in try inbox.removePeer() }),
    ItemHandler(.keyRotation, read: { $0.rotation }, apply: { try $0.applyRotation($2) }),
    ItemHandler(.refusal, read: { $0.refusalNotice }, apply: { try $0.applyRefusal($2) }),
    ItemHandler(
      .inventory, read: { coding in { body throws(BodyFault) in try coding.inventory(body).checked() } },
      apply: { try $0.applyInventory($2) }),
    ItemHandler(.registers, read: { $0.registers }, apply: { try $0.applyRegisters($2) }),
    ItemHandler(.facts, read: { $0.facts }, apply: { try $0.applyFacts($2) }),
  ]
}
