import Foundation
import GRDB
import LatchkeyModel

/// What a parent's node shows of one thing that commands set: an application's rules on a machine, or the family's.
struct ShownState {
  /// A protobuf `State`; empty when nothing is shown.
  var state: [UInt8]
  /// What the child reported of it; nil until it has.
  var enforcement: String?
}

extension Database {
  /// What is shown now of the thing that a command sets; nil for a one-shot.
  func shown(_ payload: CommandPayload, on device: DeviceID, _ coding: any BodyCoding) throws -> ShownState? {
    if case .setFamilySettings = payload {
      return ShownState(state: try settings(coding).map { coding.encode(.familySettings($0)) } ?? [])
    }
    guard let id = payload.appID else { return nil }
    return try row("SELECT * FROM app WHERE device_id = ? AND app_id = ?", [Data(device.bytes), id.text]).map {
      ShownState(
        state: coding.encode(.app(try AppConfiguration($0, coding), .recorded)), enforcement: $0["enforcement"])
    } ?? ShownState(state: [])
  }

  /// What was shown before a command that leaves its queue undelivered; nil when that is not known.
  func shownBefore(_ row: Row) -> ShownState? {
    (row["previous"] as Data?).map { ShownState(state: [UInt8]($0), enforcement: row["previous_enforcement"]) }
  }

  /// Commands that were given on top of one that leaves its queue are now on top of what was shown before that one.
  ///
  /// The rules of an application have one queued command a machine; the family's have one for each machine.
  func unlink(_ row: Row, _ payload: CommandPayload, _ coding: any BodyCoding) throws {
    guard case .setFamilySettings(let settings) = payload else { return }
    try run(
      "UPDATE command SET previous = ? WHERE supersede_key = 'family' AND status = 'queued' AND previous = ?",
      [row["previous"] as Data?, Data(coding.encode(.familySettings(settings)))])
  }

  /// Shows again what was shown before a command that is cancelled or has run out, unless something else is shown by now.
  ///
  /// - Parameter row: of the table of commands, with the device's ID.
  func restoreShown(before row: Row, _ coding: any BodyCoding, by own: DeviceID, at wall: Int64) throws {
    let payload = try coding.command(row.bytes("body")).payload
    let device = try row.deviceID("device_id")
    switch payload {
    case .setApp(let configuration):
      guard try app(configuration.appID, on: device, coding)?.modified == configuration.modified else { return }
    case .removeApp(let id, _): guard try app(id, on: device, coding) == nil else { return }
    case .setFamilySettings(let set):
      try unlink(row, payload, coding)
      guard try settings(coding)?.version == set.version else { return }
    case .requestReport, .message, .unpair: return
    }
    if let before = shownBefore(row) {
      try show(before, payload, on: device, coding, by: own, at: wall)
    } else if let app = payload.appID {
      try showLast(app, on: device, coding, by: own, at: wall)
    }
  }

  private func show(
    _ before: ShownState, _ payload: CommandPayload, on device: DeviceID, _ coding: any BodyCoding, by own: DeviceID,
    at wall: Int64
  ) throws {
    guard !before.state.isEmpty else {
      if let id = payload.appID { return try removeApp(id, on: device, author: own, at: wall) }
      return try run("DELETE FROM family_settings")
    }
    switch try coding.state(before.state) {
    case .app(let configuration, _):
      try save(
        configuration, on: device, enforcement: before.enforcement.flatMap(Enforcement.init(rawValue:)), coding,
        author: own, at: wall)
    case .familySettings(let settings): try save(settings, coding, author: own, at: wall)
    case .appRemoved, .report, .messageStored, .unpaired: return
    }
  }

  /// Of a command from before it was noted what was shown: the rule that the last other command for it set.
  private func showLast(
    _ app: AppID, on device: DeviceID, _ coding: any BodyCoding, by own: DeviceID, at wall: Int64
  ) throws {
    let row = try row(
      """
      SELECT body FROM command WHERE peer = (SELECT number FROM peer WHERE device_id = ?) AND app_id = ?
        AND status NOT IN ('cancelled', 'failed', 'expired', 'superseded') ORDER BY command_id DESC LIMIT 1
      """, [Data(device.bytes), app.text])
    if let row, case .setApp(let configuration) = try coding.command(row.bytes("body")).payload {
      try save(configuration, on: device, enforcement: nil, coding, author: own, at: wall)
    } else {
      try removeApp(app, on: device, author: own, at: wall)
    }
  }
}
