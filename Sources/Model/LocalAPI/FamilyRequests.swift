/// The rules of the whole family, as `GET /v1/settings` shows them.
public struct FamilyRules: Hashable, Sendable, Codable {
  /// The settings that hold, with the defaults of those that nobody has set.
  public var settings: FamilySettings
  /// The rules that are set for the family, in the order of their keys.
  public var rules: [RuleListing]
  /// On a parent's node, the machines that have not yet confirmed the last change.
  public var untold: [DeviceName]

  /// Creates a listing.
  public init(settings: FamilySettings, rules: [RuleListing], untold: [DeviceName]) {
    self.settings = settings
    self.rules = rules
    self.untold = untold
  }
}

/// Rules of the family that were set.
public struct FamilyEdit: Hashable, Sendable, Codable {
  /// The family's rules from now on.
  public var rules: FamilyRules
  /// The commands that carry the edit, one or more for each child's machine.
  public var commands: [ConfigurationCommand]

  /// Creates a result.
  public init(rules: FamilyRules, commands: [ConfigurationCommand]) {
    self.rules = rules
    self.commands = commands
  }
}

/// `POST /v1/children/{child}/grant`: more time for the rest of the family's day.
public struct GrantRequest: Hashable, Sendable, Codable {
  /// The additional minutes, 1 to 1,440.
  public var minutes: Int
  /// The category that the time is for; `nil` if it is not for one category.
  public var category: AppCategory?
  /// The application that the time is for; `nil` if it is not for one application.
  public var app: AppID?

  /// Creates a request.
  public init(minutes: Int, category: AppCategory? = nil, app: AppID? = nil) {
    self.minutes = minutes
    self.category = category
    self.app = app
  }
}

extension GrantRequest: CheckedRequest {
  /// A sentence about the first invalid value; `nil` if all are valid.
  public var textFault: String? {
    if !(1...1_440).contains(minutes) { return "More time is 1 to 1,440 minutes: give a number, such as 30." }
    return app == nil || category == nil
      ? nil : "More time is for an application or for a category: name one of the two."
  }
}

/// A setting of this machine's that it had lost and has taken over again from a child's machine.
public struct AdoptedSetting: Hashable, Sendable, Codable {
  /// The key of its register.
  public var key: RegisterKey
  /// The value, in the form that is stored; `nil` if the register was deleted.
  public var value: String?
  /// What it sets, as a phrase.
  public var words: String

  /// Creates a setting.
  public init(key: RegisterKey, value: String?, words: String) {
    self.key = key
    self.value = value
    self.words = words
  }
}
