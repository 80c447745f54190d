import GRDB
import LatchkeyModel

/// A peer's streams in both directions, as the database held them at one moment.
public struct PeerStreams: Hashable, Sendable {
  /// The positions of the outgoing streams.
  public var outbox: [StreamClass: OutboxPosition]
  /// The watermarks of the incoming streams.
  public var inbox: [StreamPosition]
  /// The last item of each incoming stream that is durable and not a skip.
  public var held: [HeldItem]
}

extension Store {
  /// Returns a peer's streams in both directions.
  ///
  /// Throws `StoreError.noSuchPeer` if the device is not paired.
  public func streams(with device: DeviceID) async throws(StoreError) -> PeerStreams {
    try await read { database in
      let peer = try database.address(of: device).number
      return PeerStreams(
        outbox: try database.outboxPositions(peer), inbox: try database.inboxPositions(peer),
        held: try database.heldItems(peer))
    }
  }
}

extension Database {
  func outboxPositions(_ peer: Int64) throws -> [StreamClass: OutboxPosition] {
    var positions: [StreamClass: OutboxPosition] = [:]
    for row in try rows("SELECT * FROM outbox_stream WHERE peer = ?", [peer]) {
      guard let streamClass = StreamClass(rawValue: UInt8(clamping: row["class"] as Int64)) else { continue }
      positions[streamClass] = OutboxPosition(
        epoch: row.unsigned("epoch"), storedThrough: row.unsigned("stored_through"), last: row.unsigned("last"))
    }
    return positions
  }

  func inboxPositions(_ peer: Int64) throws -> [StreamPosition] {
    try rows("SELECT * FROM inbox_stream WHERE peer = ?", [peer]).compactMap { row in
      StreamClass(rawValue: UInt8(clamping: row["class"] as Int64)).map {
        StreamPosition(streamClass: $0, epoch: row.unsigned("epoch"), through: row.unsigned("watermark"))
      }
    }
  }

  func heldItems(_ peer: Int64) throws -> [HeldItem] {
    try rows("SELECT class, item, item_id FROM inbox_stream WHERE peer = ? AND item > 0 ORDER BY class", [peer])
      .compactMap { row in
        StreamClass(rawValue: UInt8(clamping: row["class"] as Int64)).map {
          HeldItem(streamClass: $0, sequence: row.unsigned("item"), itemID: row.bytes("item_id"))
        }
      }
  }
}
