import LatchkeyCalendar
import LatchkeyModel

/// The value of a rule, as its key requires.
public enum RuleValue: Hashable, Sendable {
  /// Yes or no.
  case flag(Bool)
  /// A name for people.
  case name(String)
  /// A category.
  case category(AppCategory)
  /// The minutes of a limit a day; `nil` for no limit.
  case limit(Int?)
  /// A whole number.
  case number(Int64)
  /// Times of the week.
  case windows(WeekWindows)
  /// Times of one day.
  case times(DayWindows)
  /// Rules that recognize an application's processes.
  case matchers([AppMatcher])
  /// More time.
  case grant(Grant)
  /// A lock.
  case lock(Lock)
  /// Points, or limits alone.
  case mode(HouseholdMode)
  /// The treatment of unknown programs.
  case unknownPrograms(UnknownPrograms)
  /// What is done when an application's time is over.
  case step(ClosingStep)
  /// Whether what an application starts counts as it.
  case launches(Launches)
  /// What is done about sessions.
  case sessions(ClosedSessions)
  /// What is measured as screen time.
  case screenTime(ScreenTimeSource)
  /// Whether learning counts as screen time.
  case learningTime(LearningTime)
  /// The way of paying.
  case pointsUse(PointsUse)
  /// The IANA name of a time zone.
  case zone(String)

  /// The value as text, which is the same for the same value.
  public var text: String {
    switch self {
    case .flag(let flag): flag ? "yes" : "no"
    case .name(let name): name
    case .category(let category): category.rawValue
    case .limit(let minutes): minutes.map { String($0) } ?? "none"
    case .number(let number): String(number)
    case .windows(let windows): windows.text
    case .times(let times): times.text
    case .matchers(let matchers): MatcherText.text(matchers)
    case .grant(let grant): grant.text
    case .lock(let lock): lock.text
    case .mode(let mode): mode.rawValue
    case .unknownPrograms(let unknown): unknown.rawValue
    case .step(let step): step.rawValue
    case .launches(let launches): launches.rawValue
    case .sessions(let sessions): sessions.rawValue
    case .screenTime(let source): source.rawValue
    case .learningTime(let learning): learning.rawValue
    case .pointsUse(let use): use.rawValue
    case .zone(let zone): zone
    }
  }
}

extension RuleKey {
  /// Reads a value as a person may type it.
  ///
  /// Throws a fault that says what to give instead. Total: no text traps.
  func read(_ text: String) throws(RuleFault) -> RuleValue {
    switch self {
    case .name: return .name(try Self.checked(text, TextRule.deviceName))
    case .app(_, .name): return .name(try Self.checked(text, TextRule.displayName))
    case .removed, .app(_, .enabled), .app(_, .blocked), .app(_, .allowed): return .flag(try Self.flag(text))
    case .app(_, .category): return .category(try Self.choice(text.lowercased(), "A category"))
    case .app(_, .rate):
      return try number(text, Limits.milliPointsPerMinute, "A rate is 0 to 1,000,000,000 milli-points a minute")
    case .app(_, .limit), .category(_, .limit), .limits(.daily), .weekday: return .limit(try DayLimits.read(text))
    case .app(_, .matchers): return .matchers(try MatcherText.read(text))
    case .category(_, .weekly), .limits(.weekly):
      return try number(text, 0...10_080, "A limit a week is 0 to 10,080 minutes, the whole week")
    case .category(_, .rate):
      return try number(text, Limits.milliPointsPerMinute, "A rate is 0 to 1,000,000,000 milli-points a minute")
    case .schedule(.bedtime):
      let windows = try WeekWindows(typed: text)
      guard !windows.isAlways else { throw Self.endless }
      return .windows(windows)
    case .schedule(.school), .schedule(.rewardTimes): return .windows(try WeekWindows(typed: text))
    case .today(_, .bedtime):
      let times = try DayWindows(typed: text)
      guard !times.isAlways else { throw Self.endless }
      return .times(times)
    case .today(_, .school), .today(_, .rewardTimes): return .times(try DayWindows(typed: text))
    case .today(_, .grant): return .grant(try Grant(typed: text))
    case .lock: return .lock(try Lock(typed: text))
    case .mode: return .mode(try Self.choice(text, "The mode"))
    case .unknownPrograms: return .unknownPrograms(try Self.choice(text, "The treatment of unknown programs"))
    case .app(_, .step): return .step(try Self.choice(text, "What is done when time is over"))
    case .app(_, .launches): return .launches(try Self.choice(text, "What it starts"))
    case .sessions: return .sessions(try Self.choice(text, "What is done about sessions"))
    case .screenTime(.source): return .screenTime(try Self.choice(text, "What is measured as screen time"))
    case .screenTime(.grace):
      return try number(text, 1...240, "A child is taken to be there for 1 to 240 minutes after the last input")
    case .screenTime(.learning): return .learningTime(try Self.choice(text, "What learning does to screen time"))
    case .points(.use): return .pointsUse(try Self.choice(text, "The way of paying"))
    case .points(.minutesPerPoint): return try number(text, 1...1_440, "A point buys 1 to 1,440 minutes")
    case .points(.dailyCap), .points(.weeklyCap):
      return try number(
        text, 0...1_000_000_000_000, "The most that learning earns is 0 to 1,000,000,000,000 milli-points")
    case .points(.minimumSession): return try number(text, 0...1_440, "The shortest session is 0 to 1,440 minutes")
    case .points(.redemptionDays): return try number(text, 1...366, "Redeemed minutes can be used for 1 to 366 days")
    case .family(.zone): return .zone(try Self.zone(text))
    case .family(.dayStart): return try number(text, 0...23, "A day starts at an hour from 0 to 23")
    }
  }

  private static let endless = RuleFault(
    "That bedtime never ends: leave some time between its end and its next start.")

  private static func flag(_ text: String) throws(RuleFault) -> Bool {
    switch text {
    case "yes": return true
    case "no": return false
    default: throw RuleFault("That is yes or no: give one of them.")
    }
  }

  private static func checked(_ text: String, _ rule: TextRule) throws(RuleFault) -> String {
    if let fault = rule.fault(in: text) { throw RuleFault(fault) }
    return text
  }

  private static func zone(_ text: String) throws(RuleFault) -> String {
    let name = try checked(text, TextRule.zone)
    do {
      _ = try DayBoundary(zone: name, dayStartHour: 0)
    } catch {
      throw RuleFault(error.description)
    }
    return name
  }

  private static func choice<Choice: RawRepresentable & CaseIterable>(
    _ text: String, _ what: String
  ) throws(RuleFault) -> Choice where Choice.RawValue == String {
    if let choice = Choice(rawValue: text) { return choice }
    let words = Choice.allCases.map(\.rawValue)
    throw RuleFault("\(what) is \(words.dropLast().joined(separator: ", ")) or \(words.last ?? ""): give one of them.")
  }

  private func number(
    _ text: String, _ range: ClosedRange<Int64>, _ sentence: String
  ) throws(RuleFault) -> RuleValue {
    guard let number = RuleNumber.read(text), range.contains(number) else {
      throw RuleFault("\(sentence): give a whole number.")
    }
    return .number(number)
  }
}
