/// The rules of a child, as the local API shows them.
public struct ChildRules: Hashable, Sendable, Codable {
  /// The child.
  public var child: ChildListing
  /// The rules that are set for the child, in the order of their keys; exceptions for past days are left out.
  public var rules: [RuleListing]
  /// The rules of the whole family that hold for the child, in the order of their keys.
  public var family: [RuleListing]
  /// The applications on the child's machines whose category is a default, in the order of their IDs.
  public var defaults: [DefaultListing]

  /// Creates a listing.
  public init(
    child: ChildListing, rules: [RuleListing], family: [RuleListing] = [], defaults: [DefaultListing] = []
  ) {
    self.child = child
    self.rules = rules
    self.family = family
    self.defaults = defaults
  }
}

/// The category of an application that no parent has set.
public struct DefaultListing: Hashable, Sendable, Codable {
  /// The application's ID.
  public var appID: AppID
  /// The name for people.
  public var displayName: String
  /// The category.
  public var category: AppCategory

  /// Creates a listing.
  public init(appID: AppID, displayName: String, category: AppCategory) {
    self.appID = appID
    self.displayName = displayName
    self.category = category
  }
}

/// A rule of a child.
public struct RuleListing: Hashable, Sendable, Codable {
  /// The key of its register.
  public var key: RegisterKey
  /// The value, in the form that is stored.
  public var value: String
  /// The name of the rule for people.
  public var name: String
  /// The value in words.
  public var words: String
  /// The name of the machine on which it was set.
  public var setBy: DeviceName
  /// When it was set, in Unix milliseconds by that machine's clock.
  public var setAt: Int64
  /// The reason that the rule has no effect, in one sentence; `nil` if it has.
  public var notInForce: String?
  /// A Boolean value that indicates whether it is a rule of the whole family.
  public var isFamilys: Bool
  /// On a parent's node, the machines that should hold the rule of another parent's and have not told that they do.
  public var missing: [DeviceName]

  /// Creates a rule.
  public init(
    key: RegisterKey, value: String, name: String, words: String, setBy: DeviceName, setAt: Int64,
    notInForce: String? = nil, isFamilys: Bool = false, missing: [DeviceName] = []
  ) {
    self.key = key
    self.value = value
    self.name = name
    self.words = words
    self.setBy = setBy
    self.setAt = setAt
    self.notInForce = notInForce
    self.isFamilys = isFamilys
    self.missing = missing
  }
}

/// `POST /v1/children/{child}/rules` and `POST /v1/settings`: what is set.
public struct RuleRequest: Hashable, Sendable, Codable {
  /// A rule that is set or removed.
  public struct Change: Hashable, Sendable, Codable {
    /// The key of its register, such as `limits/daily`.
    public var key: String
    /// The value as a person may type it; `nil` removes the rule.
    public var value: String?

    /// Creates a change.
    public init(_ key: String, _ value: String?) {
      self.key = key
      self.value = value
    }
  }

  /// 1 to 64 changes, each of another rule.
  public var changes: [Change]

  /// Creates a request.
  public init(_ changes: [Change]) { self.changes = changes }
}

extension RuleRequest: CheckedRequest {
  /// A sentence about the first invalid text; `nil` if all are valid.
  public var textFault: String? {
    if !(1...64).contains(changes.count) { return "An edit has 1 to 64 changes: give fewer." }
    for change in changes {
      guard RegisterKey(change.key) != nil else { return "A rule's key is malformed: use one such as limits/daily." }
      if let fault = change.value.flatMap({ TextRule.registerValue.fault(in: $0) }) { return fault }
    }
    return Set(changes.map(\.key)).count == changes.count ? nil : "A rule is named twice: name it once."
  }
}

/// Rules that were set.
public struct RuleEdit: Hashable, Sendable, Codable {
  /// The child's rules from now on.
  public var rules: ChildRules
  /// The commands that carry the edit, one or more for each of the child's machines.
  public var commands: [ConfigurationCommand]

  /// Creates a result.
  public init(rules: ChildRules, commands: [ConfigurationCommand]) {
    self.rules = rules
    self.commands = commands
  }
}
