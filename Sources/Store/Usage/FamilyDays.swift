import GRDB
import LatchkeyModel
import LatchkeyRules

/// Assigns usage records to family days.
struct FamilyDays {
  /// The family's day; `nil` if the family has set no zone, or one that is unknown here.
  private let family: DayBoundary?

  /// Creates the days that the registers of the family's zone set.
  init(_ database: Database) throws {
    let zone = try database.register("family/zone", in: .family)?.value
    let start = try database.register("family/dayStart", in: .family)?.value.flatMap { Int($0) } ?? 0
    family = zone.flatMap { try? DayBoundary(zone: $0, dayStartHour: min(max(start, 0), 23)) }
  }

  /// Returns the day of a record; `nil` if the record extends beyond the end of a day or its zone
  /// is unknown.
  ///
  /// Without the family's day, it is the day from midnight to midnight in the record's own zone.
  func day(of record: UsageRecord) -> FamilyDay? {
    guard let boundary = family ?? (try? DayBoundary(zone: record.zone, dayStartHour: 0)) else { return nil }
    let day = boundary.day(containing: record.sessionStart)
    return day == boundary.day(containing: max(record.sessionStart, record.sessionEnd - 1)) ? day : nil
  }
}
