/// `POST /v1/rules/grant`: more time for the rest of the family's day, or less.
public struct GrantRequest: Hashable, Sendable, Codable {
  /// The additional minutes, 1 to 1,440; for less time, -1,440 to -1.
  public var minutes: Int
  /// The category that the time is for; `nil` if it is not for one category.
  public var category: AppCategory?
  /// The application that the time is for, by its name or ID or a beginning of them; `nil` if it is
  /// not for one application.
  public var app: String?
  /// Why it is more or less, which the child reads; empty or `nil` for no reason.
  public var reason: String?

  public init(minutes: Int, category: AppCategory? = nil, app: String? = nil, reason: String? = nil) {
    self.reason = reason
    self.minutes = minutes
    self.category = category
    self.app = app
  }
}

extension GrantRequest: CheckedRequest {
  /// A sentence about the first invalid value; `nil` if all are valid.
  public var textFault: String? {
    if minutes == 0 || !(-1_440...1_440).contains(minutes) {
      return "More time is 1 to 1,440 minutes, and less time -1,440 to -1: give a number, such as 30."
    }
    if let reason, let fault = TextRule.reason.fault(in: reason) { return fault }
    if app != nil, category != nil { return "More time is for an application or for a category: name one of the two." }
    return app.flatMap { TextRule.displayName.fault(in: $0) }
  }
}
