import ArgumentParser
import Foundation
import LatchkeyModel
import LatchkeyNode
import LatchkeyRules

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
    zone = isSet ? TimeText.zone(Self.zone(in: rules.settings)) : TerminalEnvironment.current.timeZone
    dayStartHour = Self.dayStartHour(in: rules.settings)
  }

  private static func zone(in settings: FamilySettings) -> String {
    if case .text(let name) = settings.values["zone"] { name } else { "UTC" }
  }

  private static func dayStartHour(in settings: FamilySettings) -> Int {
    guard case .number(let hour) = settings.values["dayStartHour"], 0...23 ~= hour else { return 0 }
    return Int(hour)
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
    guard CalendarDay(words: text) != nil else {
      throw ValidationError("That is no day: give one such as today, yesterday, monday or 2026-11-01.")
    }
    return TypedDay(text: text)
  }

  func day(in zone: TimeZone) -> CalendarDay? { CalendarDay(words: text, zone: zone) }
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
    return CalendarDay(words: "today", zone: zone).flatMap { TimeBound(argument: "\($0)T\(digits)", zone: zone) }
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
