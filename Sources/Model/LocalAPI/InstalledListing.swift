/// The applications that a child's machine has found on itself, as `GET /v1/installed` lists them.
public struct InstalledListing: Hashable, Sendable, Codable {
  /// An application.
  public struct App: Hashable, Sendable, Codable {
    /// The application's ID.
    public var appID: AppID
    /// The name for people.
    public var displayName: String
    /// The version; empty if it is unknown.
    public var version: String
    /// The category that suggests itself; `nil` for none.
    public var suggestion: AppCategory?
    /// What is set for it, for each child whose machine it is.
    public var settings: [Setting]

    /// Creates an application.
    public init(
      appID: AppID, displayName: String, version: String, suggestion: AppCategory?, settings: [Setting]
    ) {
      self.appID = appID
      self.displayName = displayName
      self.version = version
      self.suggestion = suggestion
      self.settings = settings
    }
  }

  /// What is set for an application of a child.
  public struct Setting: Hashable, Sendable, Codable {
    /// The child's name.
    public var childName: DeviceName
    /// The category; `nil` if none is set.
    public var category: AppCategory?
    /// A Boolean value that indicates whether the category is a default, which no parent has set.
    public var isByDefault: Bool
    /// A Boolean value that indicates whether it is blocked.
    public var isBlocked: Bool
    /// A Boolean value that indicates whether it is always allowed.
    public var isAlwaysAllowed: Bool
    /// The limit a day, as its rule is written; `nil` for none.
    public var limit: String?

    /// Creates a setting.
    public init(
      childName: DeviceName, category: AppCategory? = nil, isByDefault: Bool = false, isBlocked: Bool = false,
      isAlwaysAllowed: Bool = false, limit: String? = nil
    ) {
      self.childName = childName
      self.category = category
      self.isByDefault = isByDefault
      self.isBlocked = isBlocked
      self.isAlwaysAllowed = isAlwaysAllowed
      self.limit = limit
    }
  }

  /// The machine.
  public var deviceID: DeviceID
  /// The machine's name.
  public var deviceName: DeviceName
  /// The children whose machine it is.
  public var children: [ChildID]
  /// When the list became known here, in Unix milliseconds; `nil` if the machine has not told of any.
  public var toldAt: Int64?
  /// The number of the list, which counts those of the machine; 0 for none, or while parts of one are on their way.
  public var number: UInt64
  /// The number of applications that were found beyond those of the list.
  public var more: Int
  /// The applications, in the order of their IDs.
  public var apps: [App]

  /// Creates a listing.
  public init(
    deviceID: DeviceID, deviceName: DeviceName, children: [ChildID], toldAt: Int64? = nil, number: UInt64 = 0,
    more: Int = 0, apps: [App] = []
  ) {
    self.deviceID = deviceID
    self.deviceName = deviceName
    self.children = children
    self.toldAt = toldAt
    self.number = number
    self.more = more
    self.apps = apps
  }
}
