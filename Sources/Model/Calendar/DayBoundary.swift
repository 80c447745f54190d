import Foundation

/// Where one family day ends and the next begins: a zone, and the hour at which the family's days start.
///
/// A day starts at the first instant at which clocks of the zone read that date and hour or later, so a day has 23 or 25
/// hours where clocks change, an hour that clocks leave out starts the day when they jump over it, and an hour that
/// clocks read twice starts it at the first. Every instant is in exactly one day.
public struct DayBoundary: Sendable {
  /// The IANA name the zone was asked for by.
  public let zoneName: String
  /// The hour at which a day starts, 0 to 23.
  public let dayStartHour: Int

  private let zone: TimeZone

  /// Look the zone up; the zones are those that Foundation carries, whatever this machine has installed.
  ///
  /// - Parameters:
  ///   - zone: IANA name, such as `Europe/Berlin`.
  ///   - dayStartHour: 0 to 23.
  /// - Throws: `DayBoundaryError` for a zone or an hour that does not exist: the fault of whoever wrote the settings.
  public init(zone: String, dayStartHour: Int) throws(DayBoundaryError) {
    guard let known = TimeZone(identifier: zone) else { throw .unknownZone(zone) }
    guard (0...23).contains(dayStartHour) else { throw .startHourOutOfRange(dayStartHour) }
    self.zoneName = zone
    self.dayStartHour = dayStartHour
    self.zone = known
  }

  /// Give the day an instant belongs to.
  ///
  /// - Parameter instant: Unix milliseconds; beyond the first or last day it counts as in that one.
  public func day(containing instant: Int64) -> FamilyDay {
    let milliseconds: Int64 = 86_400_000
    // Two days more than there are on either side, so that whatever the zone the first and last day are reached.
    let (earliest, latest) = (FamilyDay.first.daysSinceEpoch - 2, FamilyDay.last.daysSinceEpoch + 2)
    let instant = min(max(instant, earliest * milliseconds), latest * milliseconds)
    let local = instant + offset(at: instant) - Int64(dayStartHour) * 3_600_000
    let (days, rest) = local.quotientAndRemainder(dividingBy: milliseconds)
    var day = FamilyDay(daysSinceEpoch: rest < 0 ? days - 1 : days)
    // Right except near a change of the clocks, where the day may be the one before or after.
    while day > .first, instant < start(of: day) { day = day.advanced(byDays: -1) }
    while day < .last, instant >= start(of: day.advanced(byDays: 1)) { day = day.advanced(byDays: 1) }
    return day
  }

  /// Give the first instant of a day, in Unix milliseconds.
  public func start(of day: FamilyDay) -> Int64 {
    let local = (day.daysSinceEpoch * 24 + Int64(dayStartHour)) * 3_600_000
    // No zone is a whole day from UTC, so these two instants are before and after the one that is sought.
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

  /// Give the first instant after a day, which is the first of the next, in Unix milliseconds.
  public func end(of day: FamilyDay) -> Int64 {
    day == .last ? start(of: day) + 86_400_000 : start(of: day.advanced(byDays: 1))
  }

  /// What clocks of the zone are ahead of UTC, in milliseconds.
  private func offset(at instant: Int64) -> Int64 {
    Int64(zone.secondsFromGMT(for: Date(timeIntervalSince1970: Double(instant) / 1_000))) * 1_000
  }
}
