import LatchkeyModel

/// What a child's ledger of points holds for a session.
package enum UsageCharge: String, Hashable, Sendable, Codable, CaseIterable {
  case written
  /// Learning looks wrong and waits for a parent.
  case held
  case redeemed
  case nothing
}

/// A page of usage, newest first.
package struct UsagePage: Hashable, Sendable, Codable {
  /// A session, or the part of it within the requested range.
  package struct Session: Hashable, Sendable, Codable {
    package var record: UsageRecord
    /// The name of the child's machine.
    package var deviceName: DeviceName
    /// The start of the part within the range, in Unix milliseconds.
    package var clippedStart: Int64
    /// The end of the part within the range, in Unix milliseconds.
    package var clippedEnd: Int64
    /// The share of the time of use that belongs to that part, in milliseconds.
    package var clippedActiveMilliseconds: Int64
    /// A Boolean value that indicates whether the session is still in progress; its numbers are
    /// those of the last heartbeat.
    package var isOpen = false
    /// On a child's node, the parents' machines that refused the record; `nil` for none.
    package var refusedBy: [DeviceName]?
    /// The reason why the record cannot be true; `nil` if it can.
    package var doubt: UsageDoubt?
    /// The name of the child who used it; `nil` for none, or for a child that this machine does not
    /// know.
    package var childName: DeviceName?
    /// The milli-points that the ledger holds for the session: above zero if it earned, below if it
    /// cost; `nil` for none.
    package var milliPoints: Int64?
    /// What the ledger holds for the session; `nil` if it is open, or its family uses no points.
    package var charge: UsageCharge?
  }

  package var sessions: [Session]
  /// The cursor of the next page; `nil` on the last page.
  package var next: String?
}

/// The answer to `UsageStartRequest`: the session is durable, and is recorded even if every process
/// is killed from now on.
public struct UsageStarted: Hashable, Sendable, Codable {
  public var recordID: RecordID
  /// A Boolean value that indicates whether the application is blocked by the rules.
  public var isBlocked: Bool
  /// How far this machine enforces rules.
  public var enforcement: Enforcement
}
