/// `POST /v1/rules/grant`: more time for the rest of the family's day.
public struct GrantRequest: Hashable, Sendable, Codable {
  /// The additional minutes, 1 to 1,440.
  public var minutes: Int
  /// The category that the time is for; `nil` if it is not for one category.
  public var category: AppCategory?
  /// The application that the time is for, by its name or ID or a beginning of them; `nil` if it is
  /// not for one application.
  public var app: String?

  public init(minutes: Int, category: AppCategory? = nil, app: String? = nil) {
    self.minutes = minutes
    self.category = category
    self.app = app
  }
}

extension GrantRequest: CheckedRequest {
  /// A sentence about the first invalid value; `nil` if all are valid.
  public var textFault: String? {
    if !(1...1_440).contains(minutes) { return "More time is 1 to 1,440 minutes: give a number, such as 30." }
    if app != nil, category != nil { return "More time is for an application or for a category: name one of the two." }
    return app.flatMap { TextRule.displayName.fault(in: $0) }
  }
}
