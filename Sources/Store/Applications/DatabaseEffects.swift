import Foundation
import GRDB
import LatchkeyModel

/// What the effects of commands read and write in the database, within one of its transactions.
public struct DatabaseEffects: EffectTransaction {
  let database: Database
  let coding: any BodyCoding
  public let own: DeviceID
  public let author: DeviceID
  public let wall: Int64
  public let enforcement: Enforcement
  /// Edits that other parents of this machine are to hear of.
  private(set) var told: [Register] = []

  /// - Parameter enforcement: how far this machine holds to rules; of no account on a parent's node.
  init(
    _ database: Database, _ coding: any BodyCoding, own: DeviceID, author: DeviceID,
    enforcement: Enforcement = .recorded, at wall: Int64
  ) {
    self.database = database
    self.coding = coding
    self.own = own
    self.author = author
    self.wall = wall
    self.enforcement = enforcement
  }

  public func app(
    _ id: AppID, on device: DeviceID
  ) throws -> (configuration: AppConfiguration, enforcement: Enforcement?)? {
    try database.row("SELECT * FROM app WHERE device_id = ? AND app_id = ?", [Data(device.bytes), id.text]).map {
      (try AppConfiguration($0, coding), ($0["enforcement"] as String?).flatMap(Enforcement.init(rawValue:)))
    }
  }

  public func apps(on device: DeviceID) throws -> [AppConfiguration] {
    try database.apps(on: device, coding).map(\.configuration)
  }

  public mutating func save(
    _ configuration: AppConfiguration, on device: DeviceID, enforcement: Enforcement?, isNews: Bool
  ) throws {
    let old = isNews ? try app(configuration.appID, on: device)?.configuration : nil
    try database.save(configuration, on: device, enforcement: enforcement, coding)
    guard isNews else { return }
    try audit("app.set", configuration.appID.text, old: old?.auditText, new: configuration.auditText)
  }

  public mutating func removeApp(_ id: AppID, on device: DeviceID) throws {
    try database.run("DELETE FROM app WHERE device_id = ? AND app_id = ?", [Data(device.bytes), id.text])
    try audit("app.removed", id.text)
  }

  public func removal(of id: AppID) throws -> HybridTimestamp? { try database.removal(of: id) }

  public mutating func noteRemoval(of id: AppID, _ modified: HybridTimestamp) throws {
    try database.noteRemoval(of: id, modified)
  }

  public mutating func forgetRemoval(of id: AppID) throws { try database.forgetRemoval(of: id) }

  public func settings() throws -> FamilySettings? { try database.settings(coding) }

  public mutating func save(_ settings: FamilySettings, isNews: Bool) throws {
    let old = isNews ? try database.settings(coding) : nil
    try database.run(
      "INSERT INTO family_settings VALUES (1, ?) ON CONFLICT DO UPDATE SET body = excluded.body",
      [Data(coding.encode(settings))])
    guard isNews else { return }
    try audit("settings.set", "family", old: old?.auditText, new: settings.auditText)
  }

  public mutating func removeSettings() throws {
    try database.run("DELETE FROM family_settings")
    try audit("settings.removed", "family")
  }

  public mutating func keep(_ message: ReceivedMessage) throws {
    try database.run(
      "INSERT INTO received_message VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING",
      [message.commandID.bytes, message.author.bytes, message.text, message.at])
  }

  public func value(_ key: String, on device: DeviceID) throws -> [UInt8]? {
    try database.first(
      "SELECT body FROM household_value WHERE device_id = ? AND key = ?", [device.bytes, key], { $0.bytes(0) })
  }

  public mutating func set(_ key: String, on device: DeviceID, to value: [UInt8]?) throws {
    guard let value else {
      return try database.run("DELETE FROM household_value WHERE device_id = ? AND key = ?", [device.bytes, key])
    }
    try database.run(
      "INSERT INTO household_value VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET body = excluded.body",
      [device.bytes, key, value])
  }

  public func register(_ key: RegisterKey, in zone: Zone) throws -> Register? { try database.register(key, in: zone) }
  public func registers(in zone: Zone) throws -> [Register] { try database.registers(in: zone) }
  public func zones() throws -> [Zone] { try database.zones() }

  public mutating func save(_ register: Register) throws {
    let old = try database.register(register.key, in: register.zone)?.value
    try database.save(register)
    try audit("register.set", "\(register.zone) \(register.key)", old: old, new: register.value)
  }

  public mutating func forget(_ zone: Zone) throws {
    try database.run("DELETE FROM register WHERE zone = ?", [zone.bytes])
    try audit("zone.forgotten", zone.description)
  }

  public mutating func tell(_ registers: [Register]) throws { told += registers }

  public mutating func note(_ told: [Register], by device: DeviceID) throws {
    try database.note(told, by: device, at: wall)
  }

  public func usageRecords() throws -> Int64 {
    try Int64.fetchOne(database, sql: "SELECT COUNT(*) FROM usage_record") ?? 0
  }

  private func audit(_ action: String, _ target: String, old: String? = nil, new: String? = nil) throws {
    try database.audit(AuditEntry(author: author, action: action, target: target, old: old, new: new, at: wall))
  }
}
