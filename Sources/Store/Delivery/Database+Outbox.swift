import Foundation
import GRDB
import LatchkeyModel

extension Database {
  /// The peer's number in the delivery tables; throws `noSuchPeer`.
  func address(of device: DeviceID) throws -> OutboxAddress {
    guard let number = try first("SELECT number FROM peer WHERE device_id = ?", [device.bytes], { $0.integer(0) })
    else { throw StoreError.noSuchPeer }
    return OutboxAddress(number: number, device: device)
  }

  /// Active peers of a role.
  func addresses(role: DeviceRole) throws -> [OutboxAddress] {
    var addresses: [OutboxAddress] = []
    try each("SELECT number, device_id FROM peer WHERE state = 2 AND role = ?", [role.rawValue]) {
      addresses.append(OutboxAddress(number: $0.integer(0), device: try $0.deviceID(1)))
      return true
    }
    return addresses
  }

  /// Give an item the next number of a stream and keep it.
  ///
  /// - Parameters:
  ///   - group: the transaction's, from which the number comes.
  ///   - since: when it was accepted, if that was earlier; its reading of the clock of ages may be unknown.
  /// - Throws: `StoreError.queueFull` when a cap is reached; nothing is kept then.
  func enqueue(
    _ peer: OutboxAddress, _ streamClass: StreamClass, kind: ItemKind, itemID: [UInt8], body: [UInt8], level: Int64 = 0,
    caps: QueueCaps = QueueCaps(), since: (wall: Int64, age: Int64?)? = nil, in group: WriteGroup, at wall: Int64
  ) throws -> OutboxChange {
    let change = try group.next(peer, streamClass, cost: Int64(body.count + itemID.count + 16), caps: caps, self)
    try run(
      "INSERT INTO outbox_item VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
      [
        peer.number, Int64(streamClass.rawValue), Int64(bitPattern: change.last), Int64(kind.rawValue), itemID, body,
        since?.wall ?? wall, level, since.map(\.age) ?? group.age,
      ])
    return change
  }

  /// The same in a transaction that goes on as if every number were in the database.
  func enqueue(
    _ peer: OutboxAddress, _ streamClass: StreamClass, kind: ItemKind, itemID: [UInt8], body: [UInt8],
    caps: QueueCaps = QueueCaps(), at wall: Int64
  ) throws -> OutboxChange {
    let group = WriteGroup()
    let change = try enqueue(
      peer, streamClass, kind: kind, itemID: itemID, body: body, caps: caps, in: group, at: wall)
    try group.settle(self)
    return change
  }
}
