import LatchkeyModel

extension Latchkey_V1_UsageRecord {
  init(_ record: UsageRecord) {
    self.init()
    recordID = WireBytes(record.recordID.bytes)
    device = WireBytes(record.device.bytes)
    appID = record.appID.text
    displayName = record.displayName
    sessionStart = record.sessionStart
    sessionEnd = record.sessionEnd
    zone = record.zone
    activeMilliseconds = record.activeMilliseconds
    category = record.category.wire
    milliPointsPerMinute = record.milliPointsPerMinute
    earnedMilliPoints = record.earnedMilliPoints
    switch record.evidence {
    case .tracked: evidence = 1
    case .observed: evidence = 2
    }
  }

  func value() throws(WireError) -> UsageRecord {
    guard let id = RecordID(bytes: recordID) else { throw WireError("a record without an ID of 16 bytes") }
    guard let device = DeviceID(bytes: device) else { throw WireError("a device that is no device ID") }
    guard let app = AppID(appID) else { throw WireError("an application ID that is empty, too long or has spaces") }
    let evidence: UsageEvidence
    switch self.evidence {
    case 1: evidence = .tracked
    case 2: evidence = .observed
    default: throw WireError("evidence \(self.evidence)")
    }
    let record = UsageRecord(
      recordID: id, device: device, appID: app, displayName: displayName, sessionStart: sessionStart,
      sessionEnd: sessionEnd, zone: zone, activeMilliseconds: activeMilliseconds,
      category: try AppCategory(wire: category),
      milliPointsPerMinute: milliPointsPerMinute, earnedMilliPoints: earnedMilliPoints, evidence: evidence)
    if let fault = record.fault { throw WireError(fault) }
    return record
  }
}
