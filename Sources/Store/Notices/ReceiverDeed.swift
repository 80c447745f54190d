import GRDB
import LatchkeyModel

/// Something that a receiver does, which is counted in the transaction of the deed.
public struct ReceiverDeed: Hashable, Sendable {
  /// The name of the receiver, whose rights and most for a day hold.
  public var receiver: String
  public var right: ReceiverRight
  /// What it does in words, for the audit.
  public var words: String
  public var gift: ReceiverGift
  /// The family's day, by which the gift counts.
  public var day: String
  /// By what the same deed is known when it is asked for again, at most 64 bytes; `nil` for
  /// nothing.
  public var key: String?

  public init(
    _ receiver: String, _ right: ReceiverRight, _ words: String, giving gift: ReceiverGift, on day: String, key: String?
  ) {
    (self.receiver, self.right, self.words) = (receiver, right, words)
    (self.gift, self.day, self.key) = (gift, day, key)
  }

  /// What is to become of a deed.
  public enum Verdict: Hashable, Sendable {
    /// It is counted, and is done in the same transaction.
    case counted
    /// A deed with its key was done before.
    case repeated
    /// The receiver was removed, or has lost the right.
    case notAllowed
    /// The day's most does not suffice.
    case tooMuch(most: ReceiverGift, left: ReceiverGift)
  }
}

/// Deeds of receivers within a transaction.
///
/// Spec: Protocol/14-bridge.md §1.
extension DatabaseEffects {
  /// The most keys that are kept of a receiver, and of all people; the oldest are forgotten first.
  public static let mostReceiverKeys = 1_024

  /// Returns whether a deed with the same key was done before.
  public func wasDone(_ deed: ReceiverDeed) throws -> Bool {
    guard let key = deed.key else { return false }
    return try isKept(key, of: deed.receiver)
  }

  /// Keeps the key of an edit that a person makes; returns whether no edit with it was made before.
  public mutating func isNew(_ key: String) throws -> Bool {
    // No receiver has an empty name.
    if try isKept(key, of: "") { return false }
    try keep(key, of: "")
    return true
  }

  private func isKept(_ key: String, of name: String) throws -> Bool {
    try database.first("SELECT 1 FROM receiver_key WHERE name = ? AND key = ?", [name, key], { _ in true }) ?? false
  }

  private func keep(_ key: String, of name: String) throws {
    try database.run("INSERT INTO receiver_key (name, key) VALUES (?, ?)", [name, key])
    try database.run(
      """
      DELETE FROM receiver_key WHERE name = ? AND number <=
        (SELECT number FROM receiver_key WHERE name = ? ORDER BY number DESC LIMIT 1 OFFSET ?)
      """, [name, name, Self.mostReceiverKeys])
  }

  /// Counts what a receiver gives, keeps the deed's key, and says in the audit what it does.
  ///
  /// Nothing is written unless it is counted.
  public mutating func count(_ deed: ReceiverDeed) throws -> ReceiverDeed.Verdict {
    guard let receiver = try database.receiver(named: deed.receiver), receiver.rights.contains(deed.right) else {
      return .notAllowed
    }
    if try wasDone(deed) { return .repeated }
    let given = try database.given(by: deed.receiver, on: deed.day)
    let left = ReceiverGift(
      minutes: max(0, receiver.most.minutes - given.minutes),
      milliPoints: max(0, receiver.most.milliPoints - given.milliPoints))
    guard deed.gift.minutes <= left.minutes, deed.gift.milliPoints <= left.milliPoints else {
      return .tooMuch(most: receiver.most, left: left)
    }
    // Earlier days count no more.
    try database.run("DELETE FROM receiver_use WHERE name = ? AND day < ?", [deed.receiver, deed.day])
    try database.run(
      """
      INSERT INTO receiver_use VALUES (?, ?, ?, ?) ON CONFLICT DO UPDATE SET
        minutes = minutes + excluded.minutes, milli_points = milli_points + excluded.milli_points
      """, [deed.receiver, deed.day, deed.gift.minutes, deed.gift.milliPoints])
    if let key = deed.key { try keep(key, of: deed.receiver) }
    try database.audit("receiver.acts", of: deed.receiver, new: deed.words, by: own, at: wall)
    return .counted
  }
}
