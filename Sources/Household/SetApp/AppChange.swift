import LatchkeyModel

/// Changes to one application's rules; `nil` keeps what is set, or the default for a new application.
public struct AppChange: Hashable, Sendable, Codable {
  public var appID: String
  public var displayName: String?
  public var category: AppCategory?
  public var milliPointsPerMinute: Int64?
  public var isEnabled: Bool?
  public var isBlocked: Bool?
  /// A negative number takes the limit away.
  public var dailyLimitMinutes: Int?
  public var matchers: [AppMatcher]?

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

  /// Whatever the present rule is, the changes themselves have to be sound.
  var fault: String? {
    guard let id = AppID(appID) else { return AppID.fault(in: appID) }
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
  /// What a person is told who gave something else than an application's ID.
  static func fault(in text: String) -> String {
    "“\(DeviceName(sanitising: text))” is no application ID: give its desktop or Flatpak ID, such as org.gnome.Chess."
  }
}
