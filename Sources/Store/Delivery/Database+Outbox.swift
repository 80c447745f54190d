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
  /// - Throws: `StoreError.queueFull` when a cap is reached; nothing is kept then.
  func enqueue(
    _ peer: OutboxAddress, _ streamClass: StreamClass, kind: ItemKind, itemID: [UInt8], body: [UInt8], level: Int64 = 0,
    caps: QueueCaps = QueueCaps(), at wall: Int64
  ) throws -> OutboxChange {
    let cost = Int64(body.count + itemID.count + 16)
    let classNumber = Int64(streamClass.rawValue)
    let given = try first(
      """
      UPDATE outbox_stream SET last = last + 1, waiting_items = waiting_items + 1, waiting_bytes = waiting_bytes + ?1
      WHERE peer = ?2 AND class = ?3 AND waiting_items < ?4 AND waiting_bytes + ?1 <= ?5 RETURNING epoch, last
      """, [cost, peer.number, classNumber, caps.items, caps.bytes]
    ) { (epoch: $0.unsigned(0), sequence: $0.integer(1)) }
    let epoch: UInt64
    let sequence: Int64
    if let given {
      (epoch, sequence) = given
    } else if try row("SELECT 1 FROM outbox_stream WHERE peer = ? AND class = ?", [peer.number, classNumber]) != nil {
      throw StoreError.queueFull(.init(streamClass.word))
    } else {
      epoch = UInt64.random(in: 1...UInt64.max)
      sequence = 1
      try run(
        """
        INSERT INTO outbox_stream (peer, class, epoch, last, stored_through, waiting_items, waiting_bytes)
        VALUES (?, ?, ?, 1, 0, 1, ?)
        """,
        [peer.number, classNumber, Int64(bitPattern: epoch), cost])
    }
    try run(
      "INSERT INTO outbox_item VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
      [peer.number, classNumber, sequence, Int64(kind.rawValue), itemID, body, wall, level])
    return OutboxChange(device: peer.device, streamClass: streamClass, epoch: epoch, last: UInt64(sequence))
  }
}
