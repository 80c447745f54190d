/// `POST /v1/points/adjust`: a change of a child's points by a parent.
public struct PointsAdjustment: Hashable, Sendable, Codable, CheckedRequest {
  public var child: String
  /// The milli-points, negative to take some away.
  public var milliPoints: Int64
  public var reason: String

  public init(child: String, milliPoints: Int64, reason: String) {
    (self.child, self.milliPoints, self.reason) = (child, milliPoints, reason)
  }

  public var textFault: String? {
    if let fault = TextRule.deviceName.fault(in: child) ?? TextRule.reason.fault(in: reason) { return fault }
    if milliPoints == 0 { return "That changes nothing: give a number of points, such as +50 or -10." }
    if milliPoints.magnitude > UInt64(PointsText.greatest * 1_000) {
      return "Points change by at most 1,000,000 at once: give fewer."
    }
    return reason.isEmpty ? "A change of points needs a reason, which the child can read: give one." : nil
  }
}

/// `POST /v1/points/review`: a parent's decision about learning that looks wrong.
public struct PointsReview: Hashable, Sendable, Codable, CheckedRequest {
  /// The record's ID or a beginning of it that fits no other; `nil` for the only one that waits.
  public var record: String?
  /// A Boolean value that indicates whether it earns its points.
  public var isApproved: Bool

  public init(record: String?, isApproved: Bool) { (self.record, self.isApproved) = (record, isApproved) }

  public var textFault: String? { record.flatMap { TextRule.deviceName.fault(in: $0) } }
}

/// `POST /v1/points/redeem` and `/v1/points/refund`: points for time, and time for points.
public struct PointsRedemption: Hashable, Sendable, Codable, CheckedRequest {
  /// The child; `nil` on the machine of one child.
  public var child: String?
  /// The milli-points to redeem; `nil` for those that the minutes cost, or for a refund.
  public var milliPoints: Int64?
  /// The minutes to buy; `nil` for those that the points buy.
  public var minutes: Int?

  public init(child: String? = nil, milliPoints: Int64? = nil, minutes: Int? = nil) {
    (self.child, self.milliPoints, self.minutes) = (child, milliPoints, minutes)
  }

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
