import Foundation
import LatchkeyModel

extension UsageListCommand {
  /// Returns a line for each session whose record a parent's machine did not take.
  static func refusals(_ sessions: [UsagePage.Session], zone: TimeZone) -> [String] {
    sessions.compactMap { session in
      guard let machines = session.refusedBy, !machines.isEmpty else { return nil }
      let names = machines.map(ShownText.quoted).joined(separator: " and ")
      return "Refused by \(names): the use of \(ShownText.safe(session.record.displayName)) from "
        + "\(TimeText.short(session.record.sessionStart, zone: zone)), which is kept here and missing there."
    }
  }

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
