/// `POST /v1/commands`: what to ask of which device. Only a parent's node takes it.
public struct CommandRequest: Hashable, Sendable, Codable {
  /// The kinds that a person may ask for, with what they give; what they leave out keeps its present value.
  public enum Action: Hashable, Sendable, Codable {
    case setApp(SetApp)
    case removeApp(appID: String)
    case setFamilySettings(FamilySettings)
    case requestReport
    case message(String)
  }

  /// Changes to one application; nil keeps what is set, or the default for a new one.
  public struct SetApp: Hashable, Sendable, Codable {
    public var appID: String
    public var displayName: String?
    public var category: AppCategory?
    public var milliPointsPerMinute: Int64?
    public var isEnabled: Bool?
    public var isBlocked: Bool?
    /// Negative takes the limit away.
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
  }

  /// A name, a device ID, or the beginning of one that fits only one device.
  public var device: String
  public var action: Action
  /// Milliseconds that it may wait before it runs out: 1 s to 366 days, 0 for ever; nil for what is usual for the action.
  public var expiresAfter: Int64?

  public init(device: String, action: Action, expiresAfter: Int64? = nil) {
    self.device = device
    self.action = action
    self.expiresAfter = expiresAfter
  }
}
