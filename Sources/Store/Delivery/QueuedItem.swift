import LatchkeyModel

/// An item of a queue before it has a number.
struct QueuedItem: Hashable, Sendable {
  var kind: ItemKind
  var id: [UInt8]
  var body: [UInt8]
  /// The level of a usage item: 0 for a session, 1 for an hour's total, 2 for a day's, 3 for a loss.
  var level: Int64
  /// The time since which the item has been waiting, if it waited before: Unix milliseconds, and the age clock.
  var acceptedAt: Int64?
  var acceptedAge: Int64?
}
