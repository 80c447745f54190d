import LatchkeyModel

/// The family days in which whole records lie.
struct FamilyDays {
  private let settings: FamilySettings?
  private var boundaries: [String: DayBoundary] = [:]

  init(settings: FamilySettings?) {
    self.settings = settings
    if let settings { boundaries[""] = try? DayBoundary(zone: settings.zone, dayStartHour: settings.dayStartHour) }
  }

  /// Returns the day of a record; `nil` if the record extends beyond the end of a day or its zone is unknown.
  func day(of record: UsageRecord) -> FamilyDay? {
    guard let boundary = boundaries[""] ?? (try? DayBoundary(zone: record.zone, dayStartHour: 0)) else { return nil }
    let day = boundary.day(containing: record.sessionStart)
    return day == boundary.day(containing: max(record.sessionStart, record.sessionEnd - 1)) ? day : nil
  }
}
