import Foundation
import GRDB
import LatchkeyModel

/// What a child's machine tells its parents: the registers that it holds.
///
/// Spec: Protocol/10-household.md §2.
extension InboxTransaction {
  mutating func applyRegisters(_ item: DeliveryItem, _ body: Result<[Register], BodyFault>) throws {
    do {
      guard peerRole == .child else { throw BodyFault("Only a child's device tells of what it holds.", .role) }
      let registers = try body.get()
      for case .machine(let device) in registers.map(\.zone) where device != peer.device {
        throw BodyFault("The registers are of another device than the one that sent them.", .foreign)
      }
      try database.note(registers, by: peer.device, own: own, at: wall)
      servedChildren = nil
      result.hasNewHousehold = true
    } catch let fault as BodyFault { passOver(item, .control, fault) }
  }
}

extension Database {
  /// Returns the items that tell a parent of everything that this machine holds: its registers,
  /// then its lists.
  func householdItems(
    _ inventories: Inventories, _ keys: any KeySource, _ coding: any BodyCoding, own: DeviceID
  ) throws -> [QueuedItem] {
    try allRegisters().batches.map {
      QueuedItem(kind: .registers, id: keys.freshID(), body: coding.encode($0), level: 0)
    } + inventories.items()
  }
}
