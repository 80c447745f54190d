import LatchkeyModel

/// An item of a queue, before it has a number.
struct QueuedItem: Hashable, Sendable {
  var kind: ItemKind
  var id: [UInt8]
  var body: [UInt8]
  /// Of usage: 0 a session, 1 an hour's total, 2 a day's, 3 a loss.
  var level: Int64
  /// Since when it waits, if it did before: Unix milliseconds, and the clock of ages.
  var acceptedAt: Int64?
  var acceptedAge: Int64?
}
