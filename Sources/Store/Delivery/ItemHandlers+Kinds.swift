import GRDB
import LatchkeyModel

enum CommandItem: ItemHandler {
  static let streamClass = StreamClass.command
  static let kind = ItemKind.command

  static func read(_ body: [UInt8], _ coding: any BodyCoding) throws(BodyFault) -> CommandBody {
    try coding.command(body)
  }

  static func apply(
    _ item: DeliveryItem, _ body: Result<CommandBody, BodyFault>, in inbox: inout InboxTransaction
  ) throws {
    try inbox.applyCommand(item, body)
  }

  static func content(
    _ item: (id: [UInt8], body: [UInt8]), own: DeviceID, _ coding: any BodyCoding, _ database: Database
  ) throws -> QueueEntry.Content {
    guard let id = CommandID(bytes: item.id), let row = try database.commandRow(id) else { return .unreadable }
    return .command(try ConfigurationCommand(row, author: own, coding))
  }
}

enum ReceiptItem: ItemHandler {
  static let streamClass = StreamClass.receipt
  static let kind = ItemKind.receipt

  static func read(_ body: [UInt8], _ coding: any BodyCoding) throws(BodyFault) -> CommandReceipt {
    try coding.receipt(body)
  }

  static func apply(
    _ item: DeliveryItem, _ body: Result<CommandReceipt, BodyFault>, in inbox: inout InboxTransaction
  ) throws {
    try inbox.applyReceipt(item, body)
  }

  static func content(
    _ item: (id: [UInt8], body: [UInt8]), own: DeviceID, _ coding: any BodyCoding, _ database: Database
  ) throws -> QueueEntry.Content { (try? coding.receipt(item.body)).map { .receipt($0) } ?? .unreadable }
}

enum UsageRecordItem: ItemHandler {
  static let streamClass = StreamClass.usage
  static let kind = ItemKind.usageRecord

  static func read(_ body: [UInt8], _ coding: any BodyCoding) throws(BodyFault) -> UsageRecord {
    try coding.usageRecord(body)
  }

  static func apply(
    _ item: DeliveryItem, _ body: Result<UsageRecord, BodyFault>, in inbox: inout InboxTransaction
  ) throws {
    try inbox.applyUsage(item, body)
  }

  static func content(
    _ item: (id: [UInt8], body: [UInt8]), own: DeviceID, _ coding: any BodyCoding, _ database: Database
  ) throws -> QueueEntry.Content { (try? coding.usageRecord(item.body)).map { .usage($0) } ?? .unreadable }
}

enum UsageLossItem: ItemHandler {
  static let streamClass = StreamClass.usage
  static let kind = ItemKind.usageLoss

  static func read(_ body: [UInt8], _ coding: any BodyCoding) throws(BodyFault) -> UsageLoss {
    try coding.usageLoss(body)
  }

  static func apply(
    _ item: DeliveryItem, _ body: Result<UsageLoss, BodyFault>, in inbox: inout InboxTransaction
  ) throws {
    try inbox.applyLoss(item, body)
  }

  static func content(
    _ item: (id: [UInt8], body: [UInt8]), own: DeviceID, _ coding: any BodyCoding, _ database: Database
  ) throws -> QueueEntry.Content { (try? coding.usageLoss(item.body)).map { .loss($0) } ?? .unreadable }
}

/// A removal, whose signature was verified before it was gathered.
enum RemovalItem: ItemHandler {
  static let streamClass = StreamClass.control
  static let kind = ItemKind.removal

  static func read(_ body: [UInt8], _ coding: any BodyCoding) throws(BodyFault) {}

  static func apply(_ item: DeliveryItem, _ body: Result<Void, BodyFault>, in inbox: inout InboxTransaction) throws {
    try inbox.removePeer()
    inbox.result.wasRemoved = true
  }
}

enum KeyRotationItem: ItemHandler {
  static let streamClass = StreamClass.control
  static let kind = ItemKind.keyRotation

  static func read(_ body: [UInt8], _ coding: any BodyCoding) throws(BodyFault) -> KeyRotation {
    try coding.rotation(body)
  }

  static func apply(
    _ item: DeliveryItem, _ body: Result<KeyRotation, BodyFault>, in inbox: inout InboxTransaction
  ) throws {
    try inbox.applyRotation(item, body)
  }
}

enum RefusalItem: ItemHandler {
  static let streamClass = StreamClass.control
  static let kind = ItemKind.refusal

  static func read(_ body: [UInt8], _ coding: any BodyCoding) throws(BodyFault) -> RefusalNotice {
    try coding.refusalNotice(body)
  }

  static func apply(
    _ item: DeliveryItem, _ body: Result<RefusalNotice, BodyFault>, in inbox: inout InboxTransaction
  ) throws {
    try inbox.applyRefusal(item, body)
  }
}

enum ParentsItem: ItemHandler {
  static let streamClass = StreamClass.control
  static let kind = ItemKind.parents

  static func read(_ body: [UInt8], _ coding: any BodyCoding) throws(BodyFault) -> [PairedParent] {
    try coding.parents(body)
  }

  static func apply(
    _ item: DeliveryItem, _ body: Result<[PairedParent], BodyFault>, in inbox: inout InboxTransaction
  ) throws {
    try inbox.applyParents(item, body)
  }
}

enum RegistersItem: ItemHandler {
  static let streamClass = StreamClass.control
  static let kind = ItemKind.registers

  static func read(_ body: [UInt8], _ coding: any BodyCoding) throws(BodyFault) -> [Register] {
    try coding.registers(body)
  }

  static func apply(
    _ item: DeliveryItem, _ body: Result<[Register], BodyFault>, in inbox: inout InboxTransaction
  ) throws {
    try inbox.applyRegisters(item, body)
  }
}

enum AccountsItem: ItemHandler {
  static let streamClass = StreamClass.control
  static let kind = ItemKind.accounts

  static func read(_ body: [UInt8], _ coding: any BodyCoding) throws(BodyFault) -> [Account] {
    try coding.accounts(body)
  }

  static func apply(
    _ item: DeliveryItem, _ body: Result<[Account], BodyFault>, in inbox: inout InboxTransaction
  ) throws {
    try inbox.applyAccounts(item, body)
  }
}

enum FactsItem: ItemHandler {
  static let streamClass = StreamClass.control
  static let kind = ItemKind.facts

  static func read(_ body: [UInt8], _ coding: any BodyCoding) throws(BodyFault) -> [Fact] {
    try coding.facts(body)
  }

  static func apply(_ item: DeliveryItem, _ body: Result<[Fact], BodyFault>, in inbox: inout InboxTransaction) throws {
    try inbox.applyFacts(item, body)
  }
}

enum RunningItem: ItemHandler {
  static let streamClass = StreamClass.control
  static let kind = ItemKind.running

  static func read(_ body: [UInt8], _ coding: any BodyCoding) throws(BodyFault) -> RunningList {
    try coding.running(body)
  }

  static func apply(
    _ item: DeliveryItem, _ body: Result<RunningList, BodyFault>, in inbox: inout InboxTransaction
  ) throws {
    try inbox.applyRunning(item, body)
  }
}

enum InstalledItem: ItemHandler {
  static let streamClass = StreamClass.control
  static let kind = ItemKind.installed

  static func read(_ body: [UInt8], _ coding: any BodyCoding) throws(BodyFault) -> InstalledPart {
    try coding.installed(body)
  }

  static func apply(
    _ item: DeliveryItem, _ body: Result<InstalledPart, BodyFault>, in inbox: inout InboxTransaction
  ) throws {
    try inbox.applyInstalled(item, body)
  }
}
