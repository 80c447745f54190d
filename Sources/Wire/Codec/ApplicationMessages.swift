import LatchkeyModel

extension Latchkey_V1_AppConfiguration {
  package init(_ configuration: AppConfiguration) {
    self.init()
    appID = configuration.appID.text
    displayName = configuration.displayName
    category = configuration.category.wire
    milliPointsPerMinute = configuration.milliPointsPerMinute
    isEnabled = configuration.isEnabled
    isBlocked = configuration.isBlocked
    if let limit = configuration.dailyLimitMinutes { dailyLimitMinutes = UInt32(clamping: limit) }
    modified = .init(configuration.modified)
    matchers = configuration.matchers.map(Latchkey_V1_Matcher.init)
  }

  package func value() throws(WireError) -> AppConfiguration {
    guard let id = AppID(appID) else { throw WireError("an application ID that is empty, too long or has spaces") }
    var configuration = AppConfiguration(
      appID: id, displayName: displayName, category: try AppCategory(wire: category),
      milliPointsPerMinute: milliPointsPerMinute, isEnabled: isEnabled, isBlocked: isBlocked,
      dailyLimitMinutes: hasDailyLimitMinutes ? Int(dailyLimitMinutes) : nil,
      modified: try modified.value())
    for matcher in matchers { configuration.matchers.append(try matcher.matcher()) }
    if let fault = configuration.fault { throw WireError(fault) }
    return configuration
  }
}

extension Latchkey_V1_Timestamp {
  package init(_ timestamp: HybridTimestamp) {
    self.init()
    wall = timestamp.wall
    counter = timestamp.counter
    author = WireBytes(timestamp.author.bytes)
  }

  package func value() throws(WireError) -> HybridTimestamp {
    guard let author = DeviceID(bytes: author) else { throw WireError("an author that is no device ID") }
    guard HybridTimestamp.walls.contains(wall) else { throw WireError("a time of a change that no calendar has") }
    return HybridTimestamp(wall: wall, counter: counter, author: author)
  }
}

extension Latchkey_V1_Matcher {
  private static let kinds: [AppMatcher.Kind] = [.sha256, .package, .flatpak, .argument, .path, .name]

  package init(_ matcher: AppMatcher) {
    self.init()
    kind = UInt32((Self.kinds.firstIndex(of: matcher.kind) ?? 0) + 1)
    value = matcher.value
  }

  package func matcher() throws(WireError) -> AppMatcher {
    guard (1...UInt32(Self.kinds.count)).contains(kind) else { throw WireError("matcher kind \(kind)") }
    return AppMatcher(kind: Self.kinds[Int(kind) - 1], value: value)
  }
}

extension AppCategory {
  package var wire: UInt32 {
    switch self {
    case .learning: 1
    case .reward: 2
    case .neutral: 3
    }
  }

  package init(wire: UInt32) throws(WireError) {
    switch wire {
    case 1: self = .learning
    case 2: self = .reward
    case 3: self = .neutral
    default: throw WireError("category \(wire)")
    }
  }
}

extension Enforcement {
  package var wire: UInt32 {
    switch self {
    case .recorded: 1
    case .enforced: 2
    }
  }

  package init(wire: UInt32) throws(WireError) {
    switch wire {
    case 1: self = .recorded
    case 2: self = .enforced
    default: throw WireError("enforcement \(wire)")
    }
  }
}

extension Latchkey_V1_FamilySettings {
  package init(_ settings: FamilySettings) {
    self.init()
    defaultMilliPointsPerMinute = settings.defaultMilliPointsPerMinute
    minutesPerPoint = UInt32(clamping: settings.minutesPerPoint)
    minimumSessionMinutes = UInt32(clamping: settings.minimumSessionMinutes)
    if let limit = settings.dailyRewardLimitMinutes { dailyRewardLimitMinutes = UInt32(clamping: limit) }
    if let limit = settings.weeklyRewardLimitMinutes { weeklyRewardLimitMinutes = UInt32(clamping: limit) }
    dayStartHour = UInt32(clamping: settings.dayStartHour)
    zone = settings.zone
    modified = .init(settings.modified)
  }

  package func value() throws(WireError) -> FamilySettings {
    let settings = FamilySettings(
      defaultMilliPointsPerMinute: defaultMilliPointsPerMinute, minutesPerPoint: Int(minutesPerPoint),
      minimumSessionMinutes: Int(minimumSessionMinutes),
      dailyRewardLimitMinutes: hasDailyRewardLimitMinutes ? Int(dailyRewardLimitMinutes) : nil,
      weeklyRewardLimitMinutes: hasWeeklyRewardLimitMinutes ? Int(weeklyRewardLimitMinutes) : nil,
      dayStartHour: Int(dayStartHour), zone: zone, modified: try modified.value())
    if let fault = settings.fault { throw WireError(fault) }
    return settings
  }
}
