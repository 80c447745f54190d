import LatchkeyModel

/// Tells which family day a whole record lies in.
struct FamilyDays {
  private let settings: FamilySettings?
  private var boundaries: [String: DayBoundary] = [:]

  init(settings: FamilySettings?) {
    self.settings = settings
    if let settings { boundaries[""] = try? DayBoundary(zone: settings.zone, dayStartHour: settings.dayStartHour) }
  }

  /// The day; nil for a record that reaches over the end of one, or of a zone that is none.
  func day(of record: UsageRecord) -> FamilyDay? {
    guard let boundary = boundaries[""] ?? (try? DayBoundary(zone: record.zone, dayStartHour: 0)) else { return nil }
    let day = boundary.day(containing: record.sessionStart)
    return day == boundary.day(containing: max(record.sessionStart, record.sessionEnd - 1)) ? day : nil
  }
}
