import Foundation
import LatchkeyModel

extension UsageListCommand {
  /// One session as a row of the table, with the part inside the range.
  static func row(_ session: UsagePage.Session, zone: TimeZone) -> [String] {
    let record = session.record
    return [
      session.deviceName.text, record.appID.text, record.displayName, TimeText.short(session.clippedStart, zone: zone),
      session.isOpen ? "running" : TimeText.short(session.clippedEnd, zone: zone),
      ShownText.duration(session.clippedActiveMilliseconds), record.category.rawValue,
      record.category == .learning ? PointsText.text(record.earnedMilliPoints) : "–",
    ]
  }
}
