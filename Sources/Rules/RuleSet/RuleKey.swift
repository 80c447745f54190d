import LatchkeyModel

/// The key of a rule that this version knows.
///
/// Spec: Protocol/11-rules.md §1.
public enum RuleKey: Hashable, Sendable {
  /// A rule of one application.
  public enum App: String, Hashable, Sendable, CaseIterable {
    /// The name for people.
    case name
    /// The category.
    case category
    /// The rate in milli-points per minute.
    case rate
    /// Whether the application's rules apply.
    case enabled
    /// Whether it is blocked.
    case blocked
    /// Whether it is always allowed.
    case allowed
    /// The limit a day.
    case limit
    /// The rules that recognize its processes.
    case matchers
    /// What is done when its time is over.
    case step
    /// Whether what it starts counts as it.
    case launches
  }

  /// A rule of one category.
  public enum Category: String, Hashable, Sendable, CaseIterable {
    /// The limit a day.
    case limit
    /// The limit a week, in minutes.
    case weekly
    /// The rate of applications without one of their own.
    case rate
  }

  /// A limit on all screen time.
  public enum Limit: String, Hashable, Sendable, CaseIterable {
    /// The limit a day.
    case daily
    /// The limit a week, in minutes.
    case weekly
  }

  /// What a limit a day is on.
  public enum DayLimit: Hashable, Sendable {
    /// All screen time.
    case screenTime
    /// The applications of a category.
    case category(AppCategory)
    /// One application.
    case app(AppID)

    /// The key of the limit that holds on every day without one of its own.
    public var everyDay: RuleKey {
      switch self {
      case .screenTime: .limits(.daily)
      case .category(let category): .category(category, .limit)
      case .app(let app): .app(app, .limit)
      }
    }

    /// Returns what a key of a limit of every day limits; `nil` for another key.
    init?(everyDay key: RuleKey) {
      switch key {
      case .limits(.daily): self = .screenTime
      case .category(let category, .limit): self = .category(category)
      case .app(let app, .limit): self = .app(app)
      default: return nil
      }
    }
  }

  /// Times of the week.
  public enum Schedule: String, Hashable, Sendable, CaseIterable {
    /// When nothing is allowed but what is always allowed.
    case bedtime
    /// When only learning, and what is always allowed, is allowed.
    case school
    /// When rewards are allowed.
    case rewardTimes
  }

  /// An exception for one day of the family.
  public enum Today: Hashable, Sendable {
    /// The bedtimes that begin on that day, instead of the planned ones.
    case bedtime
    /// The school times that begin on that day, instead of the planned ones.
    case school
    /// The reward times that begin on that day, instead of the planned ones.
    case rewardTimes
    /// More time, by the command that granted it.
    case grant(CommandID)
  }

  /// A rule about what counts as screen time.
  public enum ScreenTime: String, Hashable, Sendable, CaseIterable {
    /// What is measured.
    case source
    /// The minutes after the last input for which somebody is taken to be there.
    case grace
    /// Whether learning counts.
    case learning
  }

  /// A rule about points.
  public enum Points: String, Hashable, Sendable, CaseIterable {
    /// The way of paying.
    case use
    /// The minutes that a redeemed point buys.
    case minutesPerPoint
    /// The most that learning earns a day, in milli-points.
    case dailyCap
    /// The most that learning earns a week, in milli-points.
    case weeklyCap
    /// The shortest session that earns, in minutes.
    case minimumSession
    /// The days for which redeemed minutes can be used, the day of redemption included.
    case redemptionDays
  }

  /// A setting of the whole family.
  public enum Family: String, Hashable, Sendable, CaseIterable {
    /// The time zone.
    case zone
    /// The hour at which a day begins.
    case dayStart
  }

  /// The child's name.
  case name
  /// Whether the child was removed from the household.
  case removed
  /// A rule of one application.
  case app(AppID, App)
  /// A rule of one category.
  case category(AppCategory, Category)
  /// A limit on all screen time.
  case limits(Limit)
  /// A limit a day on one weekday, instead of that of every day.
  case weekday(DayLimit, Weekday)
  /// Times of the week.
  case schedule(Schedule)
  /// An exception for one day of the family.
  case today(FamilyDay, Today)
  /// A parent's lock.
  case lock
  /// Whether the family uses points.
  case mode
  /// The treatment of unknown programs.
  case unknownPrograms
  /// What is done about sessions when nothing may be used but what is always allowed.
  case sessions
  /// A rule about what counts as screen time.
  case screenTime(ScreenTime)
  /// A rule about points.
  case points(Points)
  /// A setting of the whole family.
  case family(Family)

  /// Creates the key that a register's key stands for; `nil` if this version does not know it.
  public init?(_ key: RegisterKey) {
    let parts = key.segments.map(Self.unescaped)
    guard let known = Self.known(parts), known.registerKey == key else { return nil }
    self = known
  }

  /// The application whose rule it is; `nil` for a rule of anything else.
  public var application: AppID? {
    switch self {
    case .app(let id, _), .weekday(.app(let id), _): id
    default: nil
    }
  }

  /// A Boolean value that indicates whether it is an application's rule for what is recorded of many programs together, which has
  /// none.
  public var isOfMany: Bool { application?.isOfMany == true }

  private static func known(_ parts: [String]) -> RuleKey? {
    if let last = parts.last, let day = Weekday(word: last) {
      let whole = Array(parts.dropLast())
      return whole.isEmpty ? nil : known(whole).flatMap { DayLimit(everyDay: $0) }.map { .weekday($0, day) }
    }
    return switch (parts[0], parts.count) {
    case ("name", 1): .name
    case ("removed", 1): .removed
    case ("lock", 1): .lock
    case ("mode", 1): .mode
    case ("unknownPrograms", 1): .unknownPrograms
    case ("sessions", 1): .sessions
    case ("limits", 2): Limit(rawValue: parts[1]).map { .limits($0) }
    case ("schedule", 2): Schedule(rawValue: parts[1]).map { .schedule($0) }
    case ("screenTime", 2): ScreenTime(rawValue: parts[1]).map { .screenTime($0) }
    case ("points", 2): Points(rawValue: parts[1]).map { .points($0) }
    case ("family", 2): Family(rawValue: parts[1]).map { .family($0) }
    case ("app", 3): AppID(parts[1]).flatMap { id in App(rawValue: parts[2]).map { .app(id, $0) } }
    case ("category", 3):
      AppCategory(rawValue: parts[1]).flatMap { category in
        Category(rawValue: parts[2]).map { .category(category, $0) }
      }
    case ("today", 3...4): FamilyDay(parts[1]).flatMap { day in today(parts.dropFirst(2)).map { .today(day, $0) } }
    default: nil
    }
  }

  private static func today(_ parts: ArraySlice<String>) -> Today? {
    switch (parts.first, parts.count) {
    case ("bedtime", 1): .bedtime
    case ("school", 1): .school
    case ("rewardTimes", 1): .rewardTimes
    case ("grant", 2): CommandID(parts[parts.startIndex + 1]).map { .grant($0) }
    default: nil
    }
  }

  /// The segments of the register's key.
  var segments: [String] {
    switch self {
    case .name: ["name"]
    case .removed: ["removed"]
    case .lock: ["lock"]
    case .mode: ["mode"]
    case .unknownPrograms: ["unknownPrograms"]
    case .sessions: ["sessions"]
    case .limits(let limit): ["limits", limit.rawValue]
    case .weekday(let limit, let day): limit.everyDay.segments + [day.word]
    case .schedule(let schedule): ["schedule", schedule.rawValue]
    case .screenTime(let part): ["screenTime", part.rawValue]
    case .points(let points): ["points", points.rawValue]
    case .family(let family): ["family", family.rawValue]
    case .app(let id, let rule): ["app", id.text, rule.rawValue]
    case .category(let category, let rule): ["category", category.rawValue, rule.rawValue]
    case .today(let day, .bedtime): ["today", day.description, "bedtime"]
    case .today(let day, .school): ["today", day.description, "school"]
    case .today(let day, .rewardTimes): ["today", day.description, "rewardTimes"]
    case .today(let day, .grant(let id)): ["today", day.description, "grant", id.description]
    }
  }

  /// The register's key; `nil` only for an application whose ID has so many slashes that the key is too long.
  public var registerKey: RegisterKey? { RegisterKey(segments.map(Self.escaped)) }

  /// Returns a segment as it is written in a key: `%25` for `%`, and `%2F` for `/`.
  private static func escaped(_ segment: String) -> String {
    var bytes: [UInt8] = []
    for byte in segment.utf8 {
      switch byte {
      case UInt8(ascii: "%"): bytes += Array("%25".utf8)
      case UInt8(ascii: "/"): bytes += Array("%2F".utf8)
      default: bytes.append(byte)
      }
    }
    return bytes.count == segment.utf8.count ? segment : String(decoding: bytes, as: UTF8.self)
  }

  /// Returns the text of a key's segment; for one that is not written so, a text that leads to another key.
  private static func unescaped(_ segment: Substring) -> String {
    guard segment.utf8.contains(UInt8(ascii: "%")) else { return String(segment) }
    var bytes: [UInt8] = []
    var rest = segment.utf8[...]
    while let byte = rest.popFirst() {
      let code = rest.prefix(2)
      if byte == UInt8(ascii: "%"), code.elementsEqual("25".utf8) || code.elementsEqual("2F".utf8) {
        bytes.append(code.last == UInt8(ascii: "5") ? UInt8(ascii: "%") : UInt8(ascii: "/"))
        rest = rest.dropFirst(2)
      } else {
        bytes.append(byte)
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Returns whether a register of this key has a meaning in a zone.
  ///
  /// In the family's zone, a rule holds for every child that has no register of its own under that key.
  public func belongs(in zone: Zone) -> Bool {
    switch self {
    case .name, .removed, .today, .lock:
      if case .child = zone { true } else { false }
    case .family: zone == .family
    case .app, .category, .limits, .weekday, .schedule, .mode, .unknownPrograms, .sessions, .screenTime, .points:
      if case .machine = zone { false } else { true }
    }
  }
}
