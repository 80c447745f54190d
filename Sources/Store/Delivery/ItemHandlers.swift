import GRDB
import LatchkeyModel

/// The kinds of item that this version handles.
///
/// Spec: Protocol/06-messages.md §2.
enum ItemHandlers {
  struct Place: Hashable, Sendable {
    var streamClass: StreamClass
    var kind: ItemKind
  }

  static let all = Dictionary(
    uniqueKeysWithValues: handlers.map { (Place(streamClass: $0.streamClass, kind: $0.kind), $0) })

  private static let handlers: [ItemHandler] = [
    ItemHandler(.command, in: .command) { body, coding throws(BodyFault) in
      try coding.command(body)
    } content: { item in
      guard let id = CommandID(bytes: item.id), let row = try item.database.commandRow(id) else { return .unreadable }
      return .command(try ConfigurationCommand(row, author: item.own, item.coding))
    } apply: {
      try $0.applyCommand($1, $2)
    },
    ItemHandler(.receipt, in: .receipt) { body, coding throws(BodyFault) in
      try coding.receipt(body)
    } content: { item in
      (try? item.coding.receipt(item.body)).map { .receipt($0) } ?? .unreadable
    } apply: {
      try $0.applyReceipt($1, $2)
    },
    ItemHandler(.usageRecord, in: .usage) { body, coding throws(BodyFault) in
      try coding.usageRecord(body)
    } content: { item in
      (try? item.coding.usageRecord(item.body)).map { .usage($0) } ?? .unreadable
    } apply: {
      try $0.applyUsage($1, $2)
    },
    ItemHandler(.usageLoss, in: .usage) { body, coding throws(BodyFault) in
      try coding.usageLoss(body)
    } content: { item in
      (try? item.coding.usageLoss(item.body)).map { .loss($0) } ?? .unreadable
    } apply: {
      try $0.applyLoss($1, $2)
    },
    // The signature of a removal was verified before it was gathered.
    ItemHandler(.removal) { _, _ throws(BodyFault) in
    } apply: { inbox, _, _ in
      try inbox.removePeer()
      inbox.result.wasRemoved = true
    },
    ItemHandler(.keyRotation) { body, coding throws(BodyFault) in
      try coding.rotation(body)
    } apply: {
      try $0.applyRotation($1, $2)
    },
    ItemHandler(.refusal) { body, coding throws(BodyFault) in
      try coding.refusalNotice(body)
    } apply: {
      try $0.applyRefusal($1, $2)
    },
    ItemHandler(.inventory) { body, coding throws(BodyFault) in
      try coding.inventory(body).checked()
    } apply: {
      try $0.applyInventory($1, $2)
    },
    ItemHandler(.registers) { body, coding throws(BodyFault) in
      try coding.registers(body)
    } apply: {
      try $0.applyRegisters($1, $2)
    },
    ItemHandler(.facts) { body, coding throws(BodyFault) in
      try coding.facts(body)
    } apply: {
      try $0.applyFacts($1, $2)
    },
  ]
}
