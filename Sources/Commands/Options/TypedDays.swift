import ArgumentParser
import Foundation
import LatchkeyModel
import LatchkeyNode
import LatchkeyRules

extension FamilyDay {
  /// Creates a day from what a person writes; `nil` for anything else.
  ///
  /// That is `2026-11-01`, `today`, `yesterday`, or a day of the week, which is the last one that
  /// was, today included. Without a zone, words are days of this machine's.
  init?(words: String, zone: TimeZone? = nil) {
    let environment = TerminalEnvironment.current
    let today = DayBoundary(zone ?? environment.timeZone).day(containing: environment.now())
    switch words.lowercased() {
    case "today": self = today
    case "yesterday": self = today.advanced(byDays: -1)
    case let word:
      if word.count >= 3, let weekday = Weekday.allCases.first(where: { "\($0)".hasPrefix(word) }) {
        self = today.advanced(byDays: -((today.weekday.rawValue - weekday.rawValue + 7) % 7))
      } else if let day = FamilyDay(words), day.daysSinceEpoch >= 0 {
        self = day
      } else {
        return nil
      }
    }
  }
}

/// The value of --from or --to: a day in words, or a moment such as `2026-11-01T14:30:00+01:00`,
/// which is local time without a zone.
enum TimeBound: Hashable, Sendable {
  case day(FamilyDay)
  /// A moment whose zone was given, Unix milliseconds.
  case moment(Int64)
  /// A moment on the local clock, with the minute of the day.
  case local(FamilyDay, minute: Int, second: Int)

  /// Without a zone, words such as `yesterday` are days of this machine's.
  init?(argument: String, zone: TimeZone? = nil) {
    if let day = FamilyDay(words: argument, zone: zone) {
      self = .day(day)
    } else if let bound = Self.local(argument) {
      self = bound
    } else if let date = Self.moment(argument) {
      self = .moment(Int64((date.timeIntervalSince1970 * 1_000).rounded()))
    } else {
      return nil
    }
  }

  private static func moment(_ text: String) -> Date? {
    for style in [Date.ISO8601FormatStyle(), Date.ISO8601FormatStyle(includingFractionalSeconds: true)] {
      // `parse` would be content with a beginning of the text.
      let read = try? style.consuming(text, startingAt: text.startIndex, in: text.startIndex..<text.endIndex)
      if let read, read.upperBound == text.endIndex { return read.output }
    }
    return nil
  }

  private static func local(_ text: String) -> TimeBound? {
    let halves = text.split(omittingEmptySubsequences: false, whereSeparator: { $0 == "T" || $0 == " " })
    guard halves.count == 2, let day = FamilyDay(String(halves[0])), day.daysSinceEpoch >= 0 else { return nil }
    let parts = halves[1].split(separator: ":", omittingEmptySubsequences: false)
    guard (2...3).contains(parts.count),
      parts.allSatisfy({ $0.utf8.count == 2 && $0.utf8.allSatisfy(\.isDigit) })
    else { return nil }
    let numbers = parts.compactMap { UInt8($0) }.map(Int.init)
    guard numbers.count == parts.count, numbers[0] < 24, numbers[1] < 60, numbers.count < 3 || numbers[2] < 60
    else { return nil }
    return .local(day, minute: numbers[0] * 60 + numbers[1], second: numbers.count == 3 ? numbers[2] : 0)
  }

  /// The first millisecond of a range that begins here.
  ///
  /// A time that is left out when clocks go forward means the change, one that occurs twice its
  /// first occurrence.
  ///
  /// Spec: Protocol/11-rules.md §3.
  func lowerBound(in zone: TimeZone) -> Int64 {
    let boundary = DayBoundary(zone)
    switch self {
    case .day(let day): return boundary.start(of: day)
    case .moment(let milliseconds): return milliseconds
    case .local(let day, let minute, let second):
      let start = boundary.instant(on: day, minute: minute)
      // In an hour that is left out, no second passes.
      return boundary.minuteOfDay(at: start) == minute ? start + Int64(second) * 1_000 : start
    }
  }

  /// The first millisecond after a range that ends here, to which a whole day belongs, or a moment.
  func upperBound(in zone: TimeZone) -> Int64 {
    if case .day(let day) = self { DayBoundary(zone).end(of: day) } else { lowerBound(in: zone) + 1 }
  }
}

/// The family's zone and days, in which times about the household are typed and shown.
struct FamilyClock: Sendable {
  /// The family's zone; this machine's as long as the family has none.
  let zone: TimeZone
  /// The hour at which the family's day begins.
  let dayStartHour: Int

  /// Reads the family's settings.
  init(at node: any NodeInterface) async throws { self.init(try await node.ask(Endpoints.getSettings)) }

  /// A zone that some children's machine lacks is one machine's word, and moves no times here.
  init(_ rules: FamilyRules) {
    let isSet = rules.rules.contains { $0.key == "family/zone" && $0.missing.isEmpty }
    // Both settings are read by name: a rule set of all settings needs the whole table of rules.
    let values = rules.settings.values
    let name = if case .text(let name) = values["zone"] { name } else { "UTC" }
    zone = isSet ? TimeText.zone(name) : TerminalEnvironment.current.timeZone
    dayStartHour = if case .number(let hour) = values["dayStartHour"], 0...23 ~= hour { Int(hour) } else { 0 }
  }

  /// The days of a child, as its machines have them.
  init(_ rules: OwnedRules) {
    zone = rules.inForce("family/zone").map { TimeText.zone($0) } ?? TerminalEnvironment.current.timeZone
    dayStartHour = rules.inForce("family/dayStart").flatMap { Int($0) } ?? 0
  }

  var today: FamilyDay {
    let now = TerminalEnvironment.current.now()
    let boundary = try? DayBoundary(zone: zone.identifier, dayStartHour: min(max(dayStartHour, 0), 23))
    return boundary?.day(containing: now) ?? FamilyDay.first
  }
}

/// A day as a person types it, whose words mean days of the family's.
struct TypedDay: Hashable, Sendable {
  private let text: String

  /// Reads a day such as `today`, `yesterday`, `monday` or `2026-11-01`.
  @Sendable static func read(_ text: String) throws -> TypedDay {
    guard FamilyDay(words: text) != nil else {
      throw ValidationError("That is no day: give one such as today, yesterday, monday or 2026-11-01.")
    }
    return TypedDay(text: text)
  }

  func day(in zone: TimeZone) -> FamilyDay? { FamilyDay(words: text, zone: zone) }
}

/// A moment as a person types it: a time of the family's day, or a day with a time.
struct TypedMoment: Hashable, Sendable {
  private let text: String

  /// Reads a moment such as `19:30` or `2026-11-21T18:30`.
  @Sendable static func read(_ text: String) throws -> TypedMoment {
    guard bound(text, TerminalEnvironment.current.timeZone) != nil else {
      throw ValidationError("Give a time such as 19:30, or a day with a time such as 2026-11-21T19:30.")
    }
    return TypedMoment(text: text)
  }

  /// Returns the moment in Unix milliseconds.
  func instant(in zone: TimeZone) -> Int64 {
    Self.bound(text, zone)?.lowerBound(in: zone) ?? TerminalEnvironment.current.now()
  }

  private static func bound(_ text: String, _ zone: TimeZone) -> TimeBound? {
    if let bound = TimeBound(argument: text, zone: zone) { return bound }
    let digits = text.count == 4 ? "0" + text : text
    return FamilyDay(words: "today", zone: zone).flatMap { TimeBound(argument: "\($0)T\(digits)", zone: zone) }
  }
}

/// The beginning or end of a range as a person types it, whose words mean days of the family's.
struct TypedBound: Hashable, Sendable {
  private let text: String

  /// Reads a day or a moment such as `yesterday` or `2026-11-01T14:30`.
  @Sendable static func read(_ text: String) throws -> TypedBound {
    guard TimeBound(argument: text) != nil else {
      throw ValidationError("Give a day such as today, yesterday or 2026-11-01, or a moment such as 2026-11-01T14:30.")
    }
    return TypedBound(text: text)
  }

  /// Returns the first millisecond of a range that begins here.
  func lowerBound(in zone: TimeZone) -> Int64? { TimeBound(argument: text, zone: zone)?.lowerBound(in: zone) }

  /// Returns the first millisecond after a range that ends here.
  func upperBound(in zone: TimeZone) -> Int64? { TimeBound(argument: text, zone: zone)?.upperBound(in: zone) }
}
