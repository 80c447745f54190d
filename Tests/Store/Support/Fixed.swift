import LatchkeyHousehold
import LatchkeyModel

/// Values that tests identify by a number.
enum Fixed {
  static func device(_ number: UInt8) -> DeviceID {
    guard let id = DeviceID(bytes: [UInt8](repeating: number, count: DeviceID.size)) else {
      preconditionFailure("20 bytes are an ID")
    }
    return id
  }

  static func command(_ number: UInt8) -> CommandID {
    CommandID(milliseconds: 1_000 + Int64(number), random: [UInt8](repeating: number, count: 10))
  }

  static func app(_ text: String) -> AppID {
    guard let id = AppID(text) else { preconditionFailure("\(text) is an ID") }
    return id
  }

  static func usage(
    _ number: Int, device: DeviceID, from start: Int64 = 1_000, to end: Int64 = 61_000, app: String = "org.example.App"
  ) -> UsageRecord {
    var bytes = [UInt8](repeating: 0, count: 16)
    for place in 0..<8 { bytes[15 - place] = UInt8(truncatingIfNeeded: number >> (8 * place)) }
    guard let id = RecordID(bytes: bytes) else { preconditionFailure("16 bytes are an ID") }
    return UsageRecord(
      recordID: id, device: device, appID: self.app(app), displayName: app, sessionStart: start, sessionEnd: end,
      zone: "UTC", activeMilliseconds: end - start, category: .learning, milliPointsPerMinute: 1_000,
      earnedMilliPoints: 1_000, evidence: .tracked)
  }
}
