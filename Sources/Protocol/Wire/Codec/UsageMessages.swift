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
    case .interrupted: evidence = 3
    }
    sessions = record.sessions > 1 ? UInt32(clamping: record.sessions) : 0
    if let account = record.account { self.account = account }
    if let child = record.child { self.child = WireBytes(child.bytes) }
    if record.householdStart != record.sessionStart { householdStart = record.householdStart }
  }

  func value() throws(WireError) -> UsageRecord {
    guard let id = RecordID(bytes: recordID) else { throw WireError("a record without an ID of 16 bytes") }
    guard let device = DeviceID(bytes: device) else { throw WireError("a device that is no device ID") }
    guard let app = AppID(appID) else { throw WireError("an application ID that is empty, too long or has spaces") }
    let evidence: UsageEvidence
    switch self.evidence {
    case 1: evidence = .tracked
    case 2: evidence = .observed
    case 3: evidence = .interrupted
    default: throw WireError("evidence \(self.evidence)")
    }
    let child = try ChildID(wire: hasChild ? self.child : nil)
    let record = UsageRecord(
      recordID: id, device: device, appID: app, displayName: displayName, sessionStart: sessionStart,
      sessionEnd: sessionEnd, zone: zone, activeMilliseconds: activeMilliseconds,
      category: try AppCategory(wire: category),
      milliPointsPerMinute: milliPointsPerMinute, earnedMilliPoints: earnedMilliPoints, evidence: evidence,
      sessions: max(1, Int64(sessions)), account: hasAccount ? account : nil, child: child,
      householdStart: hasHouseholdStart ? householdStart : nil)
    if let fault = record.fault { throw WireError(fault) }
    return record
  }
}

extension ChildID {
  /// Creates the ID of a child from a field that may be absent.
  init?(wire bytes: WireBytes?) throws(WireError) {
    guard let bytes else { return nil }
    guard let id = ChildID(bytes: bytes) else { throw WireError("a child's ID that has not 16 bytes") }
    self = id
  }
}

extension Latchkey_V1_UsageLoss {
  init(_ loss: UsageLoss) {
    self.init()
    lossID = WireBytes(loss.lossID.bytes)
    device = WireBytes(loss.device.bytes)
    records = UInt64(clamping: loss.records)
    sessions = UInt64(clamping: loss.sessions)
    activeMilliseconds = loss.activeMilliseconds
    earnedMilliPoints = loss.earnedMilliPoints
    firstStart = loss.firstStart
    lastEnd = loss.lastEnd
  }

  func value() throws(WireError) -> UsageLoss {
    guard let id = RecordID(bytes: lossID) else { throw WireError("a loss without an ID of 16 bytes") }
    guard let device = DeviceID(bytes: device) else { throw WireError("a device that is no device ID") }
    let times = HybridTimestamp.walls
    guard times.contains(firstStart), times.contains(lastEnd), firstStart <= lastEnd,
      times.contains(activeMilliseconds),
      times.contains(earnedMilliPoints), records <= UsageRecord.mostSessions, sessions <= UsageRecord.mostSessions
    else { throw WireError("a loss of an impossible time or number") }
    return UsageLoss(
      lossID: id, device: device, records: Int64(clamping: records), sessions: Int64(clamping: sessions),
      activeMilliseconds: activeMilliseconds, earnedMilliPoints: earnedMilliPoints, firstStart: firstStart,
      lastEnd: lastEnd)
  }
}
