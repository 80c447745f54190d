import Foundation
import LatchkeyModel
import LatchkeyNode

/// A session as programs read it: each value has a name, and times are text and Unix milliseconds.
struct FlatSession: Encodable, Sendable {
  let session: UsagePage.Session

  private struct Column: Sendable {
    let name: String
    /// A value of `nil` is absent in JSON and empty in CSV.
    let value: @Sendable (UsagePage.Session) -> (any Encodable)?

    init(_ name: String, _ value: @escaping @Sendable (UsagePage.Session) -> (any Encodable)?) {
      self.name = name
      self.value = value
    }
  }

  private struct Key: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }

    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
  }

  private static let columns = [
    Column("recordID") { $0.record.recordID.description }, Column("device") { $0.record.device.description },
    Column("deviceName") { $0.deviceName.text }, Column("appID") { $0.record.appID.text },
    Column("displayName") { $0.record.displayName }, Column("category") { $0.record.category.rawValue },
    // ISO 8601 with the offset of the session's own zone.
    Column("start") { TimeText.exact($0.record.sessionStart, zone: TimeText.zone($0.record.zone)) },
    Column("startMilliseconds") { $0.record.sessionStart },
    Column("end") { TimeText.exact($0.record.sessionEnd, zone: TimeText.zone($0.record.zone)) },
    Column("endMilliseconds") { $0.record.sessionEnd }, Column("zone") { $0.record.zone },
    Column("activeMilliseconds") { $0.record.activeMilliseconds },
    Column("clippedStartMilliseconds") { $0.clippedStart }, Column("clippedEndMilliseconds") { $0.clippedEnd },
    Column("clippedActiveMilliseconds") { $0.clippedActiveMilliseconds },
    Column("milliPointsPerMinute") { $0.record.milliPointsPerMinute }, Column("milliPoints") { $0.milliPoints },
    Column("evidence") { $0.record.evidence.rawValue }, Column("isOpen") { $0.isOpen },
    Column("refusedBy") { $0.refusedBy?.map(\.text) }, Column("doubt") { $0.doubt?.rawValue },
    Column("childName") { $0.childName?.text }, Column("childID") { $0.record.child?.description },
    Column("account") { $0.record.account }, Column("charge") { $0.charge?.rawValue },
  ]

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Key.self)
    for column in Self.columns {
      if let value = column.value(session) { try container.encode(value, forKey: Key(stringValue: column.name)) }
    }
  }

  static let csvHeader = columns.map(\.name)

  var csvRow: [String] {
    Self.columns.map { column in
      column.value(session).map { ($0 as? [String])?.joined(separator: "; ") ?? "\($0)" } ?? ""
    }
  }
}
