import LatchkeyModel

/// Changes to one application's rules, in which `nil` keeps the present value, or the default for a new application.
public struct AppChange: Hashable, Sendable, Codable {
  /// The application's ID as the person wrote it.
  public var appID: String
  /// The name for people, 1 to 255 bytes of UTF-8.
  public var displayName: String?
  /// The effect of use on points.
  public var category: AppCategory?
  /// The rate in milli-points per minute of use, 0 to 1,000,000,000.
  public var milliPointsPerMinute: Int64?
  /// A Boolean value that indicates whether the rule applies.
  public var isEnabled: Bool?
  /// A Boolean value that indicates whether the application is blocked.
  public var isBlocked: Bool?
  /// The daily limit in minutes, 0 to 1,440; a negative number removes the limit.
  public var dailyLimitMinutes: Int?
  /// The rules that recognize the application, which replace those that are set.
  public var matchers: [AppMatcher]?

  /// Creates a change; omitted values stay as they are.
  public init(
    appID: String, displayName: String? = nil, category: AppCategory? = nil, milliPointsPerMinute: Int64? = nil,
    isEnabled: Bool? = nil, isBlocked: Bool? = nil, dailyLimitMinutes: Int? = nil, matchers: [AppMatcher]? = nil
  ) {
    self.appID = appID
    self.displayName = displayName
    self.category = category
    self.milliPointsPerMinute = milliPointsPerMinute
    self.isEnabled = isEnabled
    self.isBlocked = isBlocked
    self.dailyLimitMinutes = dailyLimitMinutes
    self.matchers = matchers
  }

  var textFault: String? {
    if let fault = TextRule.appID.fault(in: appID) { return fault }
    if let fault = displayName.flatMap({ TextRule.displayName.fault(in: $0) }) { return fault }
    return matchers?.lazy.compactMap { TextRule.matcherValue.fault(in: $0.value) }.first
  }

  /// Words that people write for every application, of which none is meant.
  private static let everyApp: Set<String> = ["all", "any", "every", "everything"]

  /// Returns what is wrong with a text that stands for every application; `nil` if it may name one.
  public static func everything(_ text: String) -> String? {
    guard everyApp.contains(text.lowercased()) || text.contains(where: { "*?".contains($0) }) else { return nil }
    return
      "“\(DeviceName(sanitising: text))” is no application's name, and rules are set for one application at a time: give its "
      + "ID, such as org.gnome.Chess."
  }

  /// A sentence about the first value that is invalid regardless of the present rules; `nil` if there is none.
  var fault: String? {
    if let fault = Self.everything(appID) { return fault }
    guard let id = AppID(appID) else { return AppID.fault(in: appID) }
    if self == AppChange(appID: appID) {
      return
        "Nothing is to be set: give at least one of `displayName`, `category`, `milliPointsPerMinute`, `isEnabled`, "
        + "`isBlocked`, `dailyLimitMinutes` and `matchers`."
    }
    return applied(to: nil, id, at: .never).fault
  }

  /// Returns the rules with the changes.
  func applied(to present: AppConfiguration?, _ id: AppID, at now: HybridTimestamp) -> AppConfiguration {
    var configuration =
      present
      ?? AppConfiguration(appID: id, displayName: id.text, category: .neutral, milliPointsPerMinute: 0, modified: now)
    configuration.modified = now
    if let displayName { configuration.displayName = displayName }
    if let category { configuration.category = category }
    if let milliPointsPerMinute { configuration.milliPointsPerMinute = milliPointsPerMinute }
    if let isEnabled { configuration.isEnabled = isEnabled }
    if let isBlocked { configuration.isBlocked = isBlocked }
    if let limit = dailyLimitMinutes { configuration.dailyLimitMinutes = limit < 0 ? nil : limit }
    if let matchers { configuration.matchers = matchers }
    return configuration
  }
}

extension AppID {
  /// Returns the message for a text that is not an application's ID.
  static func fault(in text: String) -> String {
    "“\(DeviceName(sanitising: text))” is no application ID: give its desktop or Flatpak ID, such as org.gnome.Chess."
  }
}
