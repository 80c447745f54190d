import GRDB
import LatchkeyModel

/// A receiver as it is stored, with the rights that a parent gives to its bridge.
public struct StoredReceiver: Hashable, Sendable {
  public var name: String
  public var kind: ReceiverKind
  public var rights: [ReceiverRight]
  /// The most minutes and milli-points that it may give in a day.
  public var most: ReceiverGift
  /// When it was set up, in Unix milliseconds.
  public var addedAt: Int64

  public init(name: String, kind: ReceiverKind, rights: [ReceiverRight], most: ReceiverGift, addedAt: Int64) {
    (self.name, self.kind, self.rights, self.most, self.addedAt) = (name, kind, rights, most, addedAt)
  }
}

public struct ReceiverGift: Hashable, Sendable {
  public var minutes: Int
  public var milliPoints: Int64

  public init(minutes: Int = 0, milliPoints: Int64 = 0) { (self.minutes, self.milliPoints) = (minutes, milliPoints) }
}

/// The receivers that a parent has set up, and the minutes and points that they have given. Spec:
/// Protocol/14-bridge.md §1.
extension Store {
  /// Keeps a receiver, if there is room, in place of one of the same name.
  ///
  /// The position and today's gifts of that one remain. `digest` is the SHA-256 of the token, 32
  /// bytes.
  public func setReceiver(_ receiver: StoredReceiver, token digest: [UInt8]) async throws(StoreError) -> Bool {
    try await commits.commit { [own] database in
      let others = try database.integer("SELECT count(*) FROM receiver WHERE name <> ?", [receiver.name])
      guard (others ?? 0) < Self.mostReceivers else { return false }
      let rights = receiver.rights.map(\.rawValue).joined(separator: " ")
      try database.run(
        "INSERT OR REPLACE INTO receiver VALUES (?, ?, ?, ?, ?, ?, ?)",
        [
          receiver.name, receiver.kind.rawValue, rights, receiver.most.minutes, receiver.most.milliPoints, digest,
          receiver.addedAt,
        ])
      try database.audit(
        "receiver.set", of: receiver.name,
        new:
          "\(rights.isEmpty ? "reads" : rights), \(receiver.most.minutes) min, \(receiver.most.milliPoints) milli-points",
        by: own, at: receiver.addedAt)
      return true
    }
  }

  /// Removes a receiver with its place; returns whether there was one of that name.
  public func removeReceiver(_ name: String, at wall: Int64) async throws(StoreError) -> Bool {
    try await commits.commit { [own] database in
      guard try database.exists("SELECT 1 FROM receiver WHERE name = ?", [name]) else { return false }
      for table in ["receiver", "receiver_use", "receiver_key", "notice_receiver"] {
        try database.run("DELETE FROM \(table) WHERE name = ?", [name])
      }
      try database.audit("receiver.removed", of: name, by: own, at: wall)
      return true
    }
  }

  /// Returns the receivers in the order of their names.
  public func receivers() async throws(StoreError) -> [StoredReceiver] {
    try await read { database in
      try database.all(Database.receiverRows + " ORDER BY name") { $0.receiver }
    }
  }

  /// Returns the receiver whose token has this digest; `nil` if there is none.
  public func receiver(token digest: [UInt8]) async throws(StoreError) -> StoredReceiver? {
    try await read {
      try $0.first(Database.receiverRows + " WHERE token = ?", [digest], { $0.receiver }) ?? nil
    }
  }

  public func given(by receiver: String, on day: String) async throws(StoreError) -> ReceiverGift {
    try await read { try $0.given(by: receiver, on: day) }
  }
}

extension Database {
  /// Returns a receiver; `nil` for none of that name.
  func receiver(named name: String) throws -> StoredReceiver? {
    try first(Self.receiverRows + " WHERE name = ?", [name]) { $0.receiver } ?? nil
  }

  fileprivate static var receiverRows: String {
    "SELECT name, kind, rights, most_minutes, most_milli_points, added_at FROM receiver"
  }

  func given(by receiver: String, on day: String) throws -> ReceiverGift {
    try first("SELECT minutes, milli_points FROM receiver_use WHERE name = ? AND day = ?", [receiver, day]) {
      ReceiverGift(minutes: Int($0.integer(0)), milliPoints: $0.integer(1))
    } ?? ReceiverGift()
  }
}

extension Columns {
  /// The receiver of a row; `nil` for one of a kind that is not known.
  fileprivate var receiver: StoredReceiver? {
    guard let kind = ReceiverKind(rawValue: text(1)) else { return nil }
    let rights = text(2).split(separator: " ").compactMap { ReceiverRight(rawValue: String($0)) }
    return StoredReceiver(
      name: text(0), kind: kind, rights: rights, most: ReceiverGift(minutes: Int(integer(3)), milliPoints: integer(4)),
      addedAt: integer(5))
  }
}

/// An act of a receiver, which is counted in the transaction of the act.
public struct ReceiverDeed: Hashable, Sendable {
  /// The receiver's name, by which its rights and its most for a day are found.
  public var receiver: String
  public var right: ReceiverRight
  /// Its words for the audit.
  public var words: String
  public var gift: ReceiverGift
  /// The family's day, by which the gift counts.
  public var day: String
  /// The key that recognizes a repetition of the deed, at most 64 bytes; `nil` for none.
  public var key: String?

  public init(
    _ receiver: String, _ right: ReceiverRight, _ words: String, giving gift: ReceiverGift, on day: String, key: String?
  ) {
    (self.receiver, self.right, self.words) = (receiver, right, words)
    (self.gift, self.day, self.key) = (gift, day, key)
  }

  /// The decision about a deed.
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

/// Deeds of receivers within a transaction. Spec: Protocol/14-bridge.md §1.
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
    if try wasMade(key) { return false }
    try keep(key, of: "")
    return true
  }

  /// Returns whether a person made an edit with a key before.
  public func wasMade(_ key: String) throws -> Bool {
    // No receiver has an empty name.
    try isKept(key, of: "")
  }

  private func isKept(_ key: String, of name: String) throws -> Bool {
    try database.exists("SELECT 1 FROM receiver_key WHERE name = ? AND key = ?", [name, key])
  }

  private func keep(_ key: String, of name: String) throws {
    try database.run("INSERT INTO receiver_key (name, key) VALUES (?, ?)", [name, key])
    try database.run(
      """
      DELETE FROM receiver_key WHERE name = ? AND number <=
        (SELECT number FROM receiver_key WHERE name = ? ORDER BY number DESC LIMIT 1 OFFSET ?)
      """, [name, name, Self.mostReceiverKeys])
  }

  /// Counts the minutes and points that a receiver gives, keeps the action's key and writes the
  /// audit, unless it refuses.
  public mutating func count(_ deed: ReceiverDeed) throws -> ReceiverDeed.Verdict {
    guard let receiver = try database.receiver(named: deed.receiver), receiver.rights.contains(deed.right)
    else { return .notAllowed }
    if try wasDone(deed) { return .repeated }
    let given = try database.given(by: deed.receiver, on: deed.day)
    let left = ReceiverGift(
      minutes: max(0, receiver.most.minutes - given.minutes),
      milliPoints: max(0, receiver.most.milliPoints - given.milliPoints))
    guard deed.gift.minutes <= left.minutes, deed.gift.milliPoints <= left.milliPoints
    else { return .tooMuch(most: receiver.most, left: left) }
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
