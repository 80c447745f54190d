import LatchkeyModel

/// The place of an item in the table `outbox_item`: an integer that has the peer's number in its
/// upper 20 bits, then 3 bits for the class, and the sequence number in its lower 40 bits.
///
/// Items of one stream are next to each other, in the order of their numbers. The database gives
/// each paired device the next number, so that a million pairings use up the 20 bits.
enum OutboxPlace {
  /// The first and the last place of consecutive numbers.
  typealias Range = (first: Int64, last: Int64)

  /// The highest sequence number that has a place.
  ///
  /// Numbers count from 1 in each epoch, so that a stream cannot reach it: a million items a
  /// second would take twelve days.
  private static let lastNumber: UInt64 = 1 << 40 - 1

  static func of(_ peer: Int64, _ streamClass: StreamClass, _ number: UInt64) -> Int64 {
    assert(peer < 1 << 20, "a peer's number of 20 bits")
    return peer << 43 | Int64(streamClass.rawValue) << 40 | Int64(min(number, lastNumber))
  }

  static func range(_ peer: Int64, _ streamClass: StreamClass, _ first: UInt64, _ last: UInt64) -> Range {
    (of(peer, streamClass, first), of(peer, streamClass, last))
  }

  /// Returns the condition in SQL for the items of a stream.
  ///
  /// `peer` is the parameter that has the peer's number, such as `?1`, and `number` the first
  /// sequence number in SQL.
  static func stream(_ peer: String, _ streamClass: StreamClass, from number: String = "0") -> String {
    let first = "(\(peer) << 43) + (\(streamClass.rawValue) << 40)"
    return "place BETWEEN \(first) + \(number) AND \(first) + \(lastNumber)"
  }

  /// Returns the condition in SQL for all items that wait for a peer.
  ///
  /// `peer` is the parameter that has the peer's number, such as `?1`.
  static func peer(_ peer: String) -> String { "place BETWEEN \(peer) << 43 AND (\(peer) << 43) + \(1 << 43 - 1)" }
}
