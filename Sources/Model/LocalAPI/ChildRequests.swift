/// `POST /v1/children`, `POST /v1/children/{child}/rename`: a child's name.
public struct ChildNameRequest: Hashable, Sendable, Codable, CheckedRequest {
  /// The name, 1 to 64 bytes of UTF-8.
  public var name: String

  public init(name: String) { self.name = name }

  public var textFault: String? { TextRule.deviceName.fault(in: name) }
}

/// `POST /v1/children/{child}/pin`: a child's new PIN.
public struct ChildPINRequest: Hashable, Sendable, Codable, CheckedRequest {
  /// The PIN, 4 to 12 digits; `nil` to remove it.
  public var pin: String?

  public init(pin: String?) { self.pin = pin }

  public var textFault: String? { pin.flatMap { PIN($0) == nil ? PIN.fault : nil } }
}

/// `POST /v1/me/present`: the child who is there in an account that several children share.
public struct PresenceRequest: Hashable, Sendable, Codable, CheckedRequest {
  /// The child, as a person names it; `nil` for nobody.
  public var child: String?
  /// The child's PIN; `nil` if no child is there, or to ask whether a PIN would be accepted now.
  public var pin: String?

  public init(child: String?, pin: String?) { (self.child, self.pin) = (child, pin) }

  public var textFault: String? {
    child.flatMap { TextRule.deviceName.fault(in: $0) } ?? pin.flatMap { PIN($0) == nil ? PIN.fault : nil }
  }
}

/// `POST /v1/accounts/assign`: the assignment of an account of a child's machine.
public struct AccountRequest: Hashable, Sendable, Codable, CheckedRequest {
  /// The machine, as a person names it; `nil` for the only one that has such an account.
  public var device: String?
  /// The account: its log-in name or its number.
  public var account: String
  /// The children, as a person names them, at most 8; empty for no child.
  public var children: [String]
  /// Whether to look for an account that the machine has not reported; `nil` for no.
  public var isUnlisted: Bool?

  public init(device: String?, account: String, children: [String], isUnlisted: Bool? = nil) {
    (self.device, self.account, self.children, self.isUnlisted) = (device, account, children, isUnlisted)
  }

  public var textFault: String? {
    device.flatMap { TextRule.deviceName.fault(in: $0) } ?? TextRule.accountName.fault(in: account)
      ?? (children.count > AccountOwners.most ? "An account is that of at most 8 children: name fewer." : nil)
      ?? children.lazy.compactMap { TextRule.deviceName.fault(in: $0) }.first
  }
}

/// `POST /v1/requests`: what a child asks for.
public struct AskRequest: Hashable, Sendable, Codable, CheckedRequest {
  /// The child; `nil` on the machine of one child.
  public var child: String?
  /// The minutes asked for, 1 to 1,440; `nil` to ask for an application.
  public var minutes: Int?
  /// The application that is asked for, or that the time is for, by (the beginning of) its name or
  /// ID.
  public var app: String?
  /// The category for whose applications the time is.
  public var category: AppCategory?
  public var reason: String

  public init(
    child: String? = nil, minutes: Int?, app: String? = nil, category: AppCategory? = nil, reason: String = ""
  ) {
    (self.child, self.minutes, self.app, self.category, self.reason) = (child, minutes, app, category, reason)
  }

  public var textFault: String? {
    if let fault = child.flatMap({ TextRule.deviceName.fault(in: $0) }) ?? TextRule.reason.fault(in: reason)
      ?? app.flatMap({ TextRule.displayName.fault(in: $0) })
    {
      return fault
    }
    if let minutes, !(1...1_440).contains(minutes) {
      return "More time is 1 to 1,440 minutes: give a number, such as 30."
    }
    if app != nil, category != nil { return "Time is for an application or a category: name one of the two." }
    return minutes == nil && app == nil ? "A child asks for time or for an application: name one of them." : nil
  }
}

/// `POST /v1/requests/answer`: a parent's answer.
public struct AnswerRequest: Hashable, Sendable, Codable, CheckedRequest {
  /// The request's ID or a beginning of it that fits no other; `nil` for the only open one.
  public var request: String?
  /// A Boolean value that indicates whether the parent says yes.
  public var isApproved: Bool
  /// The minutes to give, 1 to 1,440, if they differ from those asked for.
  public var minutes: Int?
  public var word: String

  public init(request: String?, isApproved: Bool, minutes: Int? = nil, word: String = "") {
    (self.request, self.isApproved, self.minutes, self.word) = (request, isApproved, minutes, word)
  }

  public var textFault: String? {
    if let fault = request.flatMap({ TextRule.deviceName.fault(in: $0) }) ?? TextRule.reason.fault(in: word) {
      return fault
    }
    guard let minutes else { return nil }
    if !isApproved { return "A no comes without minutes: leave them out." }
    return (1...1_440).contains(minutes) ? nil : "More time is 1 to 1,440 minutes: give a number, such as 30."
  }
}

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
  /// A Boolean value that indicates whether the learning earns its points.
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
