import Foundation
import LatchkeyModel
import LatchkeyNode

/// One session as programs read it: every value by its own name, times as text and as Unix
/// milliseconds.
struct FlatSession: Encodable, Sendable {
  var recordID: String
  var device: String
  var deviceName: String
  /// The child whose use it was; absent if it was no child's.
  var childName: String?
  var childID: String?
  /// The number of the account; absent if it is unknown.
  var account: UInt32?
  var appID: String
  var displayName: String
  var category: String
  /// ISO 8601 with the offset of the session's own zone.
  var start: String
  var startMilliseconds: Int64
  var end: String
  var endMilliseconds: Int64
  var zone: String
  var activeMilliseconds: Int64
  var clippedStartMilliseconds: Int64
  var clippedEndMilliseconds: Int64
  var clippedActiveMilliseconds: Int64
  var milliPointsPerMinute: Int64
  /// By the ledger, earned if above zero, paid if below; absent if it holds nothing.
  var milliPoints: Int64?
  /// What the ledger holds, a word of `UsageCharge`; absent if the session is open or its family
  /// uses no points.
  var charge: String?
  var evidence: String
  var isOpen: Bool
  /// Names of the parents' machines that did not take the record; left out for none.
  var refusedBy: [String]?
  /// The reason why the record cannot be true; absent if it can.
  var doubt: String?

  init(_ session: UsagePage.Session) {
    let record = session.record
    let timeZone = TimeText.zone(record.zone)
    recordID = record.recordID.description
    device = record.device.description
    deviceName = session.deviceName.text
    childName = session.childName?.text
    childID = record.child?.description
    account = record.account
    appID = record.appID.text
    displayName = record.displayName
    category = record.category.rawValue
    start = TimeText.exact(record.sessionStart, zone: timeZone)
    startMilliseconds = record.sessionStart
    end = TimeText.exact(record.sessionEnd, zone: timeZone)
    endMilliseconds = record.sessionEnd
    zone = record.zone
    activeMilliseconds = record.activeMilliseconds
    clippedStartMilliseconds = session.clippedStart
    clippedEndMilliseconds = session.clippedEnd
    clippedActiveMilliseconds = session.clippedActiveMilliseconds
    milliPointsPerMinute = record.milliPointsPerMinute
    milliPoints = session.milliPoints
    charge = session.charge?.rawValue
    evidence = record.evidence.rawValue
    isOpen = session.isOpen
    refusedBy = session.refusedBy.map { $0.map(\.text) }
    doubt = session.doubt?.rawValue
  }

  static let csvHeader = [
    "recordID", "device", "deviceName", "appID", "displayName", "category", "start", "startMilliseconds", "end",
    "endMilliseconds", "zone", "activeMilliseconds", "clippedStartMilliseconds", "clippedEndMilliseconds",
    "clippedActiveMilliseconds", "milliPointsPerMinute", "milliPoints", "evidence", "isOpen", "refusedBy",
    "doubt", "childName", "childID", "account", "charge",
  ]

  var csvRow: [String] {
    [
      recordID, device, deviceName, appID, displayName, category, start, String(startMilliseconds), end,
      String(endMilliseconds), zone, String(activeMilliseconds), String(clippedStartMilliseconds),
      String(clippedEndMilliseconds), String(clippedActiveMilliseconds), String(milliPointsPerMinute),
      milliPoints.map(String.init) ?? "", evidence, String(isOpen), (refusedBy ?? []).joined(separator: "; "),
      doubt ?? "", childName ?? "", childID ?? "", account.map(String.init) ?? "",
      charge ?? "",
    ]
  }
}
