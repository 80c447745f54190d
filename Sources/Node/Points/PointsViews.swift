import LatchkeyModel

/// A child's points, as the local API shows them.
package struct PointsListing: Hashable, Sendable, Codable {
  /// The part of the points that one machine may spend.
  package struct Part: Hashable, Sendable, Codable {
    package var deviceName: DeviceName
    package var milliPoints: Int64
    /// The redeemed time on it that can be used today, in milliseconds.
    package var redeemedMilliseconds: Int64 = 0
    /// A Boolean value that indicates whether it is this machine.
    package var isHere = false
    /// A Boolean value that indicates whether this machine is in touch with it.
    package var isInTouch = false
  }

  package var childName: DeviceName
  /// The milli-points on all machines together.
  package var balance: Int64
  /// The milli-points that this machine may spend.
  package var here: Int64
  /// The milli-points that learning earned today, on all machines.
  package var earnedToday: Int64
  /// The redeemed time on this machine that can be used today, in milliseconds.
  package var redeemedMilliseconds: Int64
  /// The machines that may spend points, or on which redeemed time is left.
  package var parts: [Part]
  /// Learning that looks wrong and waits for a parent.
  package var held: [PointsEntry]
  /// The last changes, newest first.
  package var entries: [PointsEntry]
}

/// One change of a child's points, as the local API shows it.
package struct PointsEntry: Hashable, Sendable, Codable {
  /// The ID of the usage record or command that it follows from.
  package var source: RecordID
  /// The shortest beginning of the ID that fits no other one, at least 4 characters.
  package var short: String
  /// The kind, a word of Protocol/11-rules.md §6, such as `earned`.
  package var kind: String
  /// The change in milli-points; for learning that is held, what it would earn.
  package var milliPoints: Int64
  /// The family's day on which it happened.
  package var day: FamilyDay
  /// When it was written, in Unix milliseconds by the household's time there.
  package var at: Int64
  /// The name of the machine that wrote it.
  package var deviceName: DeviceName
  /// What happened.
  package var words: String
  /// The same as a phrase.
  package var phrase: Phrase?
  /// A parent's reason, which may be empty.
  package var note: String
}

/// What came of a change of points.
package struct PointsAdjusted: Hashable, Sendable, Codable {
  /// The points now, as this machine knows them.
  package var points: PointsListing
  /// The milli-points by which they changed already.
  package var milliPoints: Int64
  /// The milli-points that are asked of the child's machines.
  package var asked: Int64
  /// The commands that ask for them; each answer says how much was taken.
  package var commands: [ConfigurationCommand]
  /// `true` if a change with the request's `idempotency-key` was made before, so that nothing was
  /// changed now; `nil` otherwise.
  package var isRepeated: Bool?
}

/// What came of a redemption or a refund.
package struct PointsRedeemed: Hashable, Sendable, Codable {
  /// The milli-points that were paid, or came back.
  package var milliPoints: Int64
  /// The time that was bought or given back, in milliseconds.
  package var milliseconds: Int64
  /// The last day on which bought time can be used; `nil` for a refund.
  package var lastDay: FamilyDay?
  /// The points now, as this machine knows them.
  package var points: PointsListing
  /// `true` if a redemption with the request's `idempotency-key` was made before, so that nothing
  /// was paid now; `nil` otherwise.
  package var isRepeated: Bool?
}
