import Foundation
import GRDB
import LatchkeyModel

extension Database {
  /// Returns the peer's number in the delivery tables; throws `noSuchPeer` if there is none.
  func address(of device: DeviceID) throws -> OutboxAddress {
    guard let number = try integer("SELECT number FROM peer WHERE device_id = ?", [device.bytes])
    else { throw StoreError.noSuchPeer }
    return OutboxAddress(number: number, device: device)
  }

  /// Returns the active peers with a role.
  func addresses(role: DeviceRole) throws -> [OutboxAddress] {
    try all("SELECT number, device_id FROM peer WHERE state = 2 AND role = ?", [role.rawValue]) {
      OutboxAddress(number: $0.integer(0), device: try $0.deviceID(1))
    }
  }

  /// Enqueues an item with the next number of a stream, which the transaction's group assigns.
  ///
  /// Throws `StoreError.queueFull` if a limit is reached; nothing is stored then. `since` is when
  /// the item was accepted, if earlier; its reading of the age clock may be unknown.
  func enqueue(
    _ peer: OutboxAddress, _ streamClass: StreamClass, kind: ItemKind, itemID: [UInt8], body: [UInt8], level: Int64 = 0,
    caps: QueueCaps = QueueCaps(), since: (wall: Int64, age: Int64?)? = nil, in group: WriteGroup, at wall: Int64
  ) throws -> OutboxChange {
    let change = try group.next(peer, streamClass, cost: Int64(body.count + itemID.count + 16), caps: caps, self)
    let statement = try group.statement(
      .enqueue, "INSERT INTO outbox_item VALUES (?, ?, ?, ?, ?, ?, ?)", self)
    try run(statement) {
      $0.add(OutboxPlace.of(peer.number, streamClass, change.last))
      $0.add(Int64(kind.rawValue))
      $0.add(itemID)
      $0.add(body)
      $0.add(since?.wall ?? wall)
      $0.add(level)
      $0.add(since.map(\.age) ?? group.age)
    }
    change.items?.add(DeliveryItem(sequence: change.last, kind: kind, itemID: itemID, body: body))
    return change
  }

  /// Enqueues one item and flushes the stream's counters immediately.
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

  /// Enqueues a control item with a new ID and flushes the stream's counters immediately.
  func enqueue(
    _ kind: ItemKind, _ body: [UInt8], for peer: OutboxAddress, _ keys: any KeySource, at wall: Int64
  ) throws -> OutboxChange {
    try enqueue(peer, .control, kind: kind, itemID: keys.freshID(), body: body, at: wall)
  }
}

extension KeySource {
  /// Returns a new random ID of 16 bytes.
  func freshID() -> [UInt8] { Array(freshKey().prefix(16)) }
}

/// A peer in the delivery tables.
struct OutboxAddress: Hashable, Sendable {
  var number: Int64
  var device: DeviceID
}

/// A stream with new, durable items, which is reported to a peer's link after a commit.
public struct OutboxChange: Equatable, Sendable {
  public var device: DeviceID
  public var streamClass: StreamClass
  public var epoch: UInt64
  public var last: UInt64
  /// The items that the transaction added to the stream; `nil` if a link has to read them.
  ///
  /// All changes of a stream in a transaction share them.
  public var items: CommittedItems?

  public static func == (left: OutboxChange, right: OutboxChange) -> Bool {
    left.device == right.device && left.streamClass == right.streamClass && left.epoch == right.epoch
      && left.last == right.last
  }
}

extension [OutboxChange] {
  /// The last change of each stream and epoch, in the order of their first changes.
  ///
  /// For many items at once, a link needs only these.
  public var newest: [OutboxChange] {
    var newest: [OutboxChange] = []
    for change in self {
      let place = newest.lastIndex {
        $0.streamClass == change.streamClass && $0.epoch == change.epoch && $0.device == change.device
      }
      if let place { newest[place].last = Swift.max(newest[place].last, change.last) } else { newest.append(change) }
    }
    return newest
  }
}

/// An item of a queue before it has a number.
struct QueuedItem: Hashable, Sendable {
  var kind: ItemKind
  var id: [UInt8]
  var body: [UInt8]
  /// The level of a usage item: 0 for a session, 1 for an hour's total, 2 for a day's, 3 for a
  /// loss.
  var level: Int64
  /// The time since which the item has been waiting, if it waited before: Unix milliseconds, and
  /// the age clock.
  var acceptedAt: Int64?
  var acceptedAge: Int64?
}
