import Foundation
import GRDB
import LatchkeyModel

extension Store {
  /// Applications with rules: of one machine, or of all.
  ///
  /// Names of devices are the caller's to add.
  public func apps(device: DeviceID?) async throws(StoreError) -> [StoredApp] {
    try await read { [coding] database in
      if let device { return try database.apps(on: device, coding) }
      let devices = try database.rows("SELECT DISTINCT device_id FROM app").map { try $0.deviceID("device_id") }
      return try devices.flatMap { try database.apps(on: $0, coding) }
    }
  }

  /// Returns the configuration of an application on a device; `nil` if there is none.
  public func app(_ id: AppID, device: DeviceID) async throws(StoreError) -> AppConfiguration? {
    try await read { [coding] database in try database.app(id, on: device, coding) }
  }

  /// Returns the family's settings; `nil` if none were set.
  public func settings() async throws(StoreError) -> FamilySettings? {
    try await read { [coding] database in try database.settings(coding) }
  }
}

/// An application's rules, and how far they are enforced.
public struct StoredApp: Hashable, Sendable {
  /// The device.
  public var device: DeviceID
  /// The configuration of the application.
  public var configuration: AppConfiguration
  /// The degree of enforcement on the device; `nil` if it is unknown.
  public var enforcement: Enforcement?
  /// On a parent's node: the last command about it.
  public var lastCommand: CommandStatus?
  /// On a parent's node: what the child's machine says that it holds instead; `nil` if both agree.
  public var discrepancy: Discrepancy?
}

extension Database {
  func app(_ id: AppID, on device: DeviceID, _ coding: any BodyCoding) throws -> AppConfiguration? {
    try row("SELECT * FROM app WHERE device_id = ? AND app_id = ?", [Data(device.bytes), id.text])
      .map { try AppConfiguration($0, coding) }
  }

  func apps(on device: DeviceID, _ coding: any BodyCoding) throws -> [StoredApp] {
    let discrepancies = try discrepancies(of: device, limit: -1, coding)
    return try rows(
      """
      SELECT app.*, (SELECT status FROM command c WHERE c.app_id = app.app_id
          AND c.peer = (SELECT number FROM peer WHERE peer.device_id = app.device_id)
          ORDER BY command_id DESC LIMIT 1) AS last_command
      FROM app WHERE device_id = ? ORDER BY app_id
      """, [Data(device.bytes)]
    ).map { row in
      let configuration = try AppConfiguration(row, coding)
      return StoredApp(
        device: device, configuration: configuration,
        enforcement: (row["enforcement"] as String?).flatMap(Enforcement.init(rawValue:)),
        lastCommand: (row["last_command"] as String?).flatMap(CommandStatus.init(rawValue:)),
        discrepancy: discrepancies.first { $0.appID == configuration.appID })
    }
  }

  func save(
    _ configuration: AppConfiguration, on device: DeviceID, enforcement: Enforcement?, _ coding: any BodyCoding
  ) throws {
    try run(
      """
      INSERT INTO app VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
      ON CONFLICT DO UPDATE SET display_name = excluded.display_name, category = excluded.category, rate = excluded.rate,
        is_enabled = excluded.is_enabled, is_blocked = excluded.is_blocked,
        daily_limit_minutes = excluded.daily_limit_minutes, modified_wall = excluded.modified_wall,
        modified_counter = excluded.modified_counter, modified_author = excluded.modified_author,
        matchers = excluded.matchers, enforcement = excluded.enforcement
      """,
      [
        Data(device.bytes), configuration.appID.text, configuration.displayName, configuration.category.rawValue,
        configuration.milliPointsPerMinute, configuration.isEnabled, configuration.isBlocked,
        configuration.dailyLimitMinutes, configuration.modified.wall, Int64(configuration.modified.counter),
        Data(configuration.modified.author.bytes), Data(coding.encode(configuration.matchers)), enforcement?.rawValue,
      ])
  }

  func settings(_ coding: any BodyCoding) throws -> FamilySettings? {
    try row("SELECT body FROM family_settings").map { try coding.settings($0.bytes("body")) }
  }
}

extension AppConfiguration {
  init(_ row: Row, _ coding: any BodyCoding) throws {
    guard let id = AppID(row["app_id"]), let category = AppCategory(rawValue: row["category"]) else {
      throw StoreError.unexpected("an application's ID or category")
    }
    self.init(
      appID: id, displayName: row["display_name"], category: category, milliPointsPerMinute: row["rate"],
      isEnabled: row["is_enabled"], isBlocked: row["is_blocked"], dailyLimitMinutes: row["daily_limit_minutes"],
      modified: HybridTimestamp(
        wall: row["modified_wall"], counter: UInt32(clamping: row["modified_counter"] as Int64),
        author: try row.deviceID("modified_author")), matchers: try coding.matchers(row.bytes("matchers")))
  }

  /// One line for the audit.
  var auditText: String {
    let limit = dailyLimitMinutes.map { ", at most \($0) minutes a day" } ?? ""
    return "\(category.rawValue), \(milliPointsPerMinute) milli-points a minute\(isBlocked ? ", blocked" : "")"
      + "\(isEnabled ? "" : ", disabled")\(limit)"
  }
}

extension FamilySettings {
  /// One line for the audit.
  var auditText: String {
    let limits = [dailyRewardLimitMinutes.map { "\($0) a day" }, weeklyRewardLimitMinutes.map { "\($0) a week" }]
      .compactMap { $0 }
    return "\(defaultMilliPointsPerMinute) milli-points a minute, \(minutesPerPoint) minutes a point, sessions from "
      + "\(minimumSessionMinutes) minutes, days from \(dayStartHour):00 in \(zone)"
      + (limits.isEmpty ? "" : ", minutes of reward: " + limits.joined(separator: ", "))
  }
}
