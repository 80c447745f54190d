import Foundation
import GRDB
import LatchkeyModel

extension Database {
  /// The peer's number in the delivery tables; throws `noSuchPeer`.
  func address(of device: DeviceID) throws -> OutboxAddress {
    guard let row = try row("SELECT number FROM peer WHERE device_id = ?", [Data(device.bytes)]) else {
      throw StoreError.noSuchPeer
    }
    return OutboxAddress(number: row["number"], device: device)
  }

  /// Active peers of a role.
  func addresses(role: DeviceRole) throws -> [OutboxAddress] {
    try rows("SELECT number, device_id FROM peer WHERE state = 2 AND role = ?", [role.rawValue]).map {
      OutboxAddress(number: $0["number"], device: try $0.deviceID("device_id"))
    }
  }

  /// Give an item the next number of a stream and keep it.
  ///
  /// - Throws: `StoreError.queueFull` when a cap is reached; nothing is kept then.
  func enqueue(
    _ peer: OutboxAddress, _ streamClass: StreamClass, kind: ItemKind, itemID: [UInt8], body: [UInt8], at wall: Int64
  ) throws -> OutboxChange {
    let cost = Int64(body.count + itemID.count + 16)
    let classNumber = Int64(streamClass.rawValue)
    let update = try cachedStatement(
      sql: """
        UPDATE outbox_stream SET last = last + 1, waiting_items = waiting_items + 1, waiting_bytes = waiting_bytes + ?
        WHERE peer = ? AND class = ? RETURNING epoch, last, waiting_items, waiting_bytes
        """)
    let epoch: UInt64
    let sequence: Int64
    if let row = try Row.fetchOne(update, arguments: [cost, peer.number, classNumber]) {
      guard (row[2] as Int64) <= Int64(Limits.queueItems), (row[3] as Int64) <= Limits.queueBytes else {
        throw StoreError.queueFull(.init(streamClass.word))
      }
      epoch = UInt64(bitPattern: row[0])
      sequence = row[1]
    } else {
      epoch = UInt64.random(in: 1...UInt64.max)
      sequence = 1
      try run(
        "INSERT INTO outbox_stream VALUES (?, ?, ?, 1, 0, 1, ?)",
        [peer.number, classNumber, Int64(bitPattern: epoch), cost])
    }
    try run(
      "INSERT INTO outbox_item VALUES (?, ?, ?, ?, ?, ?, ?)",
      [peer.number, classNumber, sequence, Int64(kind.rawValue), Data(itemID), Data(body), wall])
    return OutboxChange(device: peer.device, streamClass: streamClass, epoch: epoch, last: UInt64(sequence))
  }
}
