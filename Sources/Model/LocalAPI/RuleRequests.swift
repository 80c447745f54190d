/// `POST /v1/rules` and `POST /v1/settings`: the rules to set.
public struct RuleRequest: Hashable, Sendable, Codable, CheckedRequest {
  public struct Change: Hashable, Sendable, Codable {
    /// The key of its register, such as `limits/daily`.
    ///
    /// For a rule of `RuleRequest.app`, it is the part after the application, such as `blocked`.
    public var key: String
    /// The value as a person may type it; `nil` removes the rule.
    public var value: String?

    public init(_ key: String, _ value: String?) { (self.key, self.value) = (key, value) }
  }

  /// The effect of `members` on the applications that are in a group already.
  public enum MemberEdit: String, Hashable, Sendable, Codable, CaseIterable {
    /// They stay, and `members` are added.
    case add
    /// They stay, and `members` are removed.
    case remove
  }

  /// 1 to 64 changes of different rules; none with `isReset`, and none needed with `members`.
  public var changes: [Change]
  /// The application, by (the beginning of) its name or ID; `nil` if the keys are whole.
  public var app: String?
  /// A Boolean value that indicates whether `app` may be an unknown application's ID.
  public var isNew: Bool?
  /// A Boolean value that indicates whether all rules of `app` are removed.
  public var isReset: Bool?
  /// The group whose rules are set, by its name; `nil` if the keys are whole.
  public var group: String?
  /// The applications of the group, as `app` names one, 1 to 256; `nil` to leave them as they are.
  public var members: [String]?
  /// Whether `members` are added to the group's or taken out of it; `nil` if they replace them.
  public var memberEdit: MemberEdit?
  /// Rules as the caller has seen them, with whole keys: nothing changes if one differs now.
  public var seen: [Change]?

  public init(
    _ changes: [Change], app: String? = nil, isNew: Bool? = nil, isReset: Bool? = nil, group: String? = nil,
    members: [String]? = nil, memberEdit: MemberEdit? = nil, seen: [Change]? = nil
  ) {
    (self.seen, self.group, self.members, self.memberEdit) = (seen, group, members, memberEdit)
    (self.changes, self.app, self.isNew, self.isReset) = (changes, app, isNew, isReset)
  }

  /// The most rules that the caller has seen.
  public static let mostSeen = 512

  public var textFault: String? {
    if isReset == true {
      guard changes.isEmpty, app != nil else {
        return "A reset removes all rules of an application: name it, and give no changes."
      }
    } else if !((members == nil ? 1 : 0)...64).contains(changes.count) {
      return "An edit has 1 to 64 changes: give fewer."
    }
    if group != nil, app != nil { return "Rules are an application's or a group's: name one of the two." }
    if let members, group == nil || !(1...256).contains(members.count) {
      return "A group has 1 to 256 applications: name the group and its applications."
    }
    if memberEdit != nil, members == nil { return "Applications are added to a group or taken out of it: name them." }
    for member in members ?? [] { if let fault = TextRule.displayName.fault(in: member) { return fault } }
    if seen?.count ?? 0 > Self.mostSeen { return "At most \(Self.mostSeen) rules are compared: give fewer." }
    for change in changes + (seen ?? []) {
      guard RegisterKey(change.key) != nil else { return "A rule's key is malformed: use one such as limits/daily." }
      if let fault = change.value.flatMap({ TextRule.registerValue.fault(in: $0) }) { return fault }
    }
    if let fault = app.flatMap({ TextRule.displayName.fault(in: $0) }) { return fault }
    return Set(changes.map(\.key)).count == changes.count ? nil : "A rule is named twice: name it once."
  }
}

/// `POST /v1/rules/grant`: more time for the rest of the family's day, or less.
public struct GrantRequest: Hashable, Sendable, Codable, CheckedRequest {
  /// The additional minutes, 1 to 1,440; for less time, -1,440 to -1.
  public var minutes: Int
  /// The category that the time is for; `nil` if it is not for one category.
  public var category: AppCategory?
  /// The application that the time is for, by (the beginning of) its name or ID; `nil` for none.
  public var app: String?
  /// The reason, which the child reads; empty or `nil` for none.
  public var reason: String?

  public init(minutes: Int, category: AppCategory? = nil, app: String? = nil, reason: String? = nil) {
    (self.reason, self.minutes, self.category, self.app) = (reason, minutes, category, app)
  }

  public var textFault: String? {
    if minutes == 0 || !(-1_440...1_440).contains(minutes) {
      return "More time is 1 to 1,440 minutes, and less time -1,440 to -1: give a number, such as 30."
    }
    if let reason, let fault = TextRule.reason.fault(in: reason) { return fault }
    if app != nil, category != nil { return "More time is for an application or for a category: name one of the two." }
    return app.flatMap { TextRule.displayName.fault(in: $0) }
  }
}

/// The family's settings in force, as the local API shows them; the table of rules names them.
///
/// Spec: Protocol/11-rules.md §1, §2.
public struct FamilySettings: Hashable, Sendable, Codable {
  /// The value of a setting, as its rule is written.
  public enum Value: Hashable, Sendable {
    case number(Int64)
    case text(String)
  }

  /// The values by the names of the settings; one without a value is left out.
  public var values: [String: Value]

  public init(_ values: [String: Value]) { self.values = values }

  public init(from decoder: any Decoder) throws {
    values = try decoder.singleValueContainer().decode([String: Value].self)
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(values)
  }
}

extension FamilySettings.Value: Codable {
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if let number = try? container.decode(Int64.self) {
      self = .number(number)
    } else {
      self = .text(try container.decode(String.self))
    }
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    switch self {
    case .number(let number): try container.encode(number)
    case .text(let text): try container.encode(text)
    }
  }
}
