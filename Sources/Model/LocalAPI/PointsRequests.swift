/// A child's points, as the local API shows them.
public struct PointsListing: Hashable, Sendable, Codable {
  /// The part of the points that one machine may spend.
  public struct Part: Hashable, Sendable, Codable {
    /// The name of the machine.
    public var deviceName: DeviceName
    /// Its milli-points.
    public var milliPoints: Int64
    /// The redeemed time on it that can be used today, in milliseconds.
    public var redeemedMilliseconds: Int64
    /// A Boolean value that indicates whether it is this machine.
    public var isHere: Bool
    /// A Boolean value that indicates whether this machine is in touch with it.
    public var isInTouch: Bool

    /// Creates a part.
    public init(
      deviceName: DeviceName, milliPoints: Int64, redeemedMilliseconds: Int64 = 0, isHere: Bool = false,
      isInTouch: Bool = false
    ) {
      self.redeemedMilliseconds = redeemedMilliseconds
      self.deviceName = deviceName
      self.milliPoints = milliPoints
      self.isHere = isHere
      self.isInTouch = isInTouch
    }
  }

  /// The child's name.
  public var childName: DeviceName
  /// The milli-points on all machines together.
  public var balance: Int64
  /// The milli-points that this machine may spend.
  public var here: Int64
  /// The milli-points that learning earned today, on all machines.
  public var earnedToday: Int64
  /// The redeemed time on this machine that can be used today, in milliseconds.
  public var redeemedMilliseconds: Int64
  /// The machines that may spend points, or on which redeemed time is left.
  public var parts: [Part]
  /// Learning that looks wrong and waits for a parent.
  public var held: [PointsEntry]
  /// The last changes, newest first.
  public var entries: [PointsEntry]

  /// Creates a listing.
  public init(
    childName: DeviceName, balance: Int64, here: Int64, earnedToday: Int64, redeemedMilliseconds: Int64, parts: [Part],
    held: [PointsEntry], entries: [PointsEntry]
  ) {
    self.childName = childName
    self.balance = balance
    self.here = here
    self.earnedToday = earnedToday
    self.redeemedMilliseconds = redeemedMilliseconds
    self.parts = parts
    self.held = held
    self.entries = entries
  }
}

/// One change of a child's points, as the local API shows it.
public struct PointsEntry: Hashable, Sendable, Codable {
  /// The ID of the usage record or command that it follows from.
  public var source: RecordID
  /// The shortest beginning of the ID that fits no other one, at least 4 characters.
  public var short: String
  /// The kind, a word of Protocol/11-rules.md §6, such as `earned`.
  public var kind: String
  /// The change in milli-points; for learning that is held, what it would earn.
  public var milliPoints: Int64
  /// The family's day on which it happened.
  public var day: FamilyDay
  /// When it was written, in Unix milliseconds by the household's time there.
  public var at: Int64
  /// The name of the machine that wrote it.
  public var deviceName: DeviceName
  /// What it is, in words.
  public var words: String
  /// A parent's reason, which may be empty.
  public var note: String

  /// Creates an entry.
  public init(
    source: RecordID, short: String, kind: String, milliPoints: Int64, day: FamilyDay, at: Int64,
    deviceName: DeviceName, words: String, note: String
  ) {
    self.source = source
    self.short = short
    self.kind = kind
    self.milliPoints = milliPoints
    self.day = day
    self.at = at
    self.deviceName = deviceName
    self.words = words
    self.note = note
  }
}

/// `POST /v1/points/adjust`: a change of a child's points by a parent.
public struct PointsAdjustment: Hashable, Sendable, Codable {
  /// The child.
  public var child: String
  /// The milli-points, negative to take some away.
  public var milliPoints: Int64
  /// The reason.
  public var reason: String

  /// Creates a change.
  public init(child: String, milliPoints: Int64, reason: String) {
    self.child = child
    self.milliPoints = milliPoints
    self.reason = reason
  }
}

extension PointsAdjustment: CheckedRequest {
  /// A sentence about the first value that cannot be used; `nil` if all can.
  public var textFault: String? {
    if let fault = TextRule.deviceName.fault(in: child) ?? TextRule.reason.fault(in: reason) { return fault }
    if milliPoints == 0 { return "That changes nothing: give a number of points, such as +50 or -10." }
    if milliPoints.magnitude > UInt64(PointsText.greatest * 1_000) {
      return "Points change by at most 1,000,000 at once: give fewer."
    }
    return reason.isEmpty ? "A change of points needs a reason, which the child can read: give one." : nil
  }
}

/// What came of a change of points.
public struct PointsAdjusted: Hashable, Sendable, Codable {
  /// The points now, as this machine knows them.
  public var points: PointsListing
  /// The milli-points by which they changed already.
  public var milliPoints: Int64
  /// The milli-points that are asked of the child's machines.
  public var asked: Int64
  /// The commands that ask for them; each answer says how much was taken.
  public var commands: [ConfigurationCommand]

  /// Creates a result.
  public init(points: PointsListing, milliPoints: Int64, asked: Int64, commands: [ConfigurationCommand]) {
    self.points = points
    self.milliPoints = milliPoints
    self.asked = asked
    self.commands = commands
  }
}

/// `POST /v1/points/review`: a parent's decision about learning that looks wrong.
public struct PointsReview: Hashable, Sendable, Codable {
  /// The record's ID or a beginning of it that fits no other; `nil` for the only one that waits.
  public var record: String?
  /// A Boolean value that indicates whether it earns its points.
  public var isApproved: Bool

  /// Creates a decision.
  public init(record: String?, isApproved: Bool) {
    self.record = record
    self.isApproved = isApproved
  }
}

extension PointsReview: CheckedRequest {
  /// A sentence about an ID that cannot be used; `nil` if it can.
  public var textFault: String? { record.flatMap { TextRule.deviceName.fault(in: $0) } }
}

/// `POST /v1/points/redeem`: points that a child changes into time; `POST /v1/points/refund`: time that it gives back.
public struct PointsRedemption: Hashable, Sendable, Codable {
  /// The child; `nil` on the machine of one child.
  public var child: String?
  /// The milli-points to redeem; `nil` for those that the minutes cost, or for a refund.
  public var milliPoints: Int64?
  /// The minutes to buy; `nil` for those that the points buy.
  public var minutes: Int?

  /// Creates a redemption.
  public init(child: String? = nil, milliPoints: Int64? = nil, minutes: Int? = nil) {
    self.child = child
    self.milliPoints = milliPoints
    self.minutes = minutes
  }
}

extension PointsRedemption: CheckedRequest {
  /// A sentence about the first value that cannot be used; `nil` if all can.
  public var textFault: String? {
    if let fault = child.flatMap({ TextRule.deviceName.fault(in: $0) }) { return fault }
    if let milliPoints, !(1...PointsText.greatest * 1_000).contains(milliPoints) {
      return "Up to 1,000,000 points are redeemed at once: give a number, such as 20."
    }
    guard let minutes else { return nil }
    if milliPoints != nil { return "Give points or minutes, not both." }
    return (1...1_440).contains(minutes) ? nil : "Up to 1,440 minutes are bought at once: give a number, such as 20."
  }
}

/// What came of a redemption or a refund.
public struct PointsRedeemed: Hashable, Sendable, Codable {
  /// The milli-points that were paid, or came back.
  public var milliPoints: Int64
  /// The time that was bought or given back, in milliseconds.
  public var milliseconds: Int64
  /// The last day on which bought time can be used; `nil` for a refund.
  public var lastDay: FamilyDay?
  /// The points now, as this machine knows them.
  public var points: PointsListing

  /// Creates a result.
  public init(milliPoints: Int64, milliseconds: Int64, lastDay: FamilyDay?, points: PointsListing) {
    self.milliPoints = milliPoints
    self.milliseconds = milliseconds
    self.lastDay = lastDay
    self.points = points
  }
}
