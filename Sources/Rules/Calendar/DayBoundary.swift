import Foundation
import LatchkeyModel

/// The boundary between family days: a time zone, and the hour at which days start.
///
/// A day starts at the first instant at which clocks in the zone show that date and that hour or a
/// later one. A day therefore has 23 or 25 hours when clocks change. An hour that is skipped starts
/// the day at the change, and an hour that occurs twice starts it at its first occurrence. Every
/// instant belongs to exactly one day.
public struct DayBoundary: Hashable, Sendable {
  public let zoneName: String
  /// The hour at which a day starts, 0 to 23.
  public let dayStartHour: Int

  private let zone: TimeZone

  /// Creates a boundary.
  ///
  /// The zones are those of Foundation, independent of those installed on this machine.
  ///
  /// `zone` is an IANA name such as `Europe/Berlin`, and `dayStartHour` is in 0 to 23. Throws
  /// `DayBoundaryError` for a zone or an hour that does not exist, the fault of the author of the
  /// settings.
  public init(zone: String, dayStartHour: Int) throws(DayBoundaryError) {
    guard let known = TimeZone(identifier: zone) else { throw .unknownZone(zone) }
    guard (0...23).contains(dayStartHour) else { throw .startHourOutOfRange(dayStartHour) }
    (self.zoneName, self.dayStartHour, self.zone) = (zone, dayStartHour, known)
  }

  /// Creates the boundary between the calendar's days in a zone.
  public init(_ zone: TimeZone) { (zoneName, dayStartHour, self.zone) = (zone.identifier, 0, zone) }

  /// Returns the day of an instant in Unix milliseconds.
  ///
  /// Instants beyond the first or last day belong to that day.
  public func day(containing instant: Int64) -> FamilyDay {
    let milliseconds: Int64 = 86_400_000
    // Two days beyond each end, so that the first and last day are reached in any zone.
    let (earliest, latest) = (FamilyDay.first.daysSinceEpoch - 2, FamilyDay.last.daysSinceEpoch + 2)
    let instant = min(max(instant, earliest * milliseconds), latest * milliseconds)
    let local = instant + offset(at: instant) - Int64(dayStartHour) * 3_600_000
    let (days, rest) = local.quotientAndRemainder(dividingBy: milliseconds)
    var day = FamilyDay(daysSinceEpoch: rest < 0 ? days - 1 : days)
    // Correct except near a change of the clocks, where it may be one day off.
    while day > .first, instant < start(of: day) { day = day.advanced(byDays: -1) }
    while day < .last, instant >= start(of: day.advanced(byDays: 1)) { day = day.advanced(byDays: 1) }
    return day
  }

  /// Returns the first instant of a day in Unix milliseconds.
  public func start(of day: FamilyDay) -> Int64 { instant(on: day, minute: dayStartHour * 60) }

  /// Returns the first instant, in Unix milliseconds, at which clocks in the zone show a date and a
  /// time of day or a later one.
  ///
  /// `date` is a date of the calendar, regardless of the hour at which family days start. `minute`
  /// counts from midnight, 0 to 2,880; more than 1,440 is on the date after it.
  public func instant(on date: FamilyDay, minute: Int) -> Int64 {
    let local = (date.daysSinceEpoch * 1_440 + Int64(min(max(minute, 0), 2_880))) * 60_000
    // No zone is a whole day from UTC, so these two instants are before and after the result.
    var before = local - 86_400_000
    var after = local + 86_400_000
    let (oldOffset, newOffset) = (offset(at: before), offset(at: after))
    guard oldOffset != newOffset else { return local - oldOffset }
    while after - before > 1 {
      let middle = before + (after - before) / 2
      if offset(at: middle) == oldOffset { before = middle } else { after = middle }
    }
    let change = after
    return local - oldOffset < change ? local - oldOffset : max(change, local - newOffset)
  }

  /// Returns the end of a day, which is the first instant of the next, in Unix milliseconds.
  public func end(of day: FamilyDay) -> Int64 {
    day == .last ? start(of: day) + 86_400_000 : start(of: day.advanced(byDays: 1))
  }

  /// Returns the date and time in the zone, such as "2026-11-22 18:30", at Unix milliseconds.
  public func clock(at instant: Int64) -> String {
    let (day, minutes) = shown(at: instant)
    let (hour, minute) = minutes.quotientAndRemainder(dividingBy: 60)
    return "\(day) \(hour < 10 ? "0" : "")\(hour):\(minute < 10 ? "0" : "")\(minute)"
  }

  /// Returns the minute of the day in the zone at Unix milliseconds, 0 to 1,439.
  public func minuteOfDay(at instant: Int64) -> Int { shown(at: instant).minute }

  private func shown(at instant: Int64) -> (day: FamilyDay, minute: Int) {
    let instant = min(
      max(instant, FamilyDay.first.daysSinceEpoch * 86_400_000), FamilyDay.last.daysSinceEpoch * 86_400_000)
    let minutes = (instant + offset(at: instant)) / 60_000
    let (days, rest) = minutes.quotientAndRemainder(dividingBy: 1_440)
    let day = FamilyDay(daysSinceEpoch: rest < 0 ? days - 1 : days)
    return (day, Int(rest < 0 ? rest + 1_440 : rest))
  }

  /// Returns the offset of the zone from UTC in milliseconds.
  private func offset(at instant: Int64) -> Int64 {
    Int64(zone.secondsFromGMT(for: Date(timeIntervalSince1970: Double(instant) / 1_000))) * 1_000
  }
}

/// The reason why family days cannot be computed from settings.
///
/// Each description says what to do next.
public enum DayBoundaryError: Error, Hashable, Sendable, CustomStringConvertible {
  case unknownZone(String)
  case startHourOutOfRange(Int)

  /// One sentence with the fault and the next step.
  public var description: String { phrase.worded() }

  public var phrase: Phrase {
    switch self {
    case .unknownZone(let zone):
      Phrase(
        "There is no time zone {zone}: give an IANA name, such as Europe/Berlin.",
        ["zone": .text(zone.debugDescription)])
    case .startHourOutOfRange(let hour):
      Phrase("A day cannot start at hour {hour}: give one from 0 to 23.", ["hour": .number(hour)])
    }
  }
}

extension DayBoundary {
  /// The largest difference between a session's length by the wall clock and the use in it: 31
  /// days, in milliseconds.
  ///
  /// If it is larger, the clock was changed during the session, as on a machine that starts in 1970
  /// until it learns the time.
  private static let longestIdleMilliseconds: Int64 = 31 * 86_400_000

  /// The longest session that is divided: 400 days by the wall clock, in milliseconds.
  ///
  /// It limits the work that one record from another machine can cause.
  private static let longestSessionMilliseconds: Int64 = 400 * 86_400_000

  /// Divides a session among the family days that it covers, first day first.
  ///
  /// The parts add up exactly.
  ///
  /// A session without length by the wall clock, one during which the clock was changed, and one of
  /// more than 400 days are counted as a whole in the day of their end.
  public func slices(of session: UsageSlice) -> [(day: FamilyDay, slice: UsageSlice)] {
    let length = Int128(session.end) - Int128(session.start)
    let idle = length - Int128(min(session.activeMilliseconds, PointsArithmetic.longestMilliseconds))
    let isWhole = length <= 0 || length > Int128(Self.longestSessionMilliseconds)
    guard !isWhole, idle <= Int128(Self.longestIdleMilliseconds) else {
      return [(day(containing: session.end), session)]
    }
    var days = [day(containing: session.start)]
    var cuts: [Int64] = []
    var edge = end(of: days[0])
    while edge < session.end, let last = days.last, last < .last {
      let next = day(containing: edge)
      days.append(next)
      cuts.append(edge)
      edge = end(of: next)
    }
    return Array(zip(days, session.cut(at: cuts)))
  }
}
