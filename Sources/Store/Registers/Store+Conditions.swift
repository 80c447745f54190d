import Foundation
import GRDB
import LatchkeyModel

/// What parents should know of children's machines.
///
/// Spec: Protocol/10-household.md §6.
extension InboxTransaction {
  mutating func applyConditions(_ item: DeliveryItem, _ body: Result<[MachineCondition], BodyFault>) throws {
    do {
      guard peerRole == .child else { throw BodyFault("Only a child's device tells of its conditions.", .role) }
      try database.save(try body.get(), of: peer.device)
    } catch let fault as BodyFault { passOver(item, .control, fault) }
  }
}

extension Database {
  /// Keeps the conditions of a machine in place of those before.
  fileprivate func save(_ conditions: [MachineCondition], of device: DeviceID) throws {
    try run("DELETE FROM condition WHERE device_id = ?", [device.bytes])
    for (place, condition) in conditions.enumerated() {
      try run(
        "INSERT INTO condition VALUES (?, ?, ?, ?, ?)",
        [device.bytes, Int64(place), condition.name, condition.account, condition.detail])
    }
  }

  fileprivate func conditions(of device: DeviceID) throws -> [MachineCondition] {
    try rows("SELECT * FROM condition WHERE device_id = ? ORDER BY place", [Data(device.bytes)]).map { row in
      MachineCondition(row)
    }
  }

  /// Forgets the conditions of a machine that is no longer paired.
  func forgetConditions(_ peer: Int64) throws {
    try run("DELETE FROM condition WHERE device_id = (SELECT device_id FROM peer WHERE number = ?)", [peer])
  }

  /// Returns the conditions of this machine, a child's; `nil` if it has not looked for any.
  func knownConditions(of own: DeviceID) throws -> [MachineCondition]? {
    let isKnown = try first("SELECT 1 FROM setting WHERE key = 'conditions'", [], { _ in true }) ?? false
    return isKnown ? try conditions(of: own) : nil
  }
}

extension Store {
  /// Keeps the conditions of this machine, a child's, and has its parents hear of them if they have changed.
  ///
  /// There are at most 64.
  public func setConditions(
    _ conditions: [MachineCondition], at wall: Int64
  ) async throws(StoreError) -> [OutboxChange] {
    // The disk is left alone while nothing changes.
    let known = try await read { [own] database in try database.knownConditions(of: own) }
    guard known != conditions else { return [] }
    return try await commits.commit(.upkeep) { [own, coding, keys] database in
      try database.run("INSERT OR IGNORE INTO setting VALUES ('conditions', 'known')")
      try database.save(conditions, of: own)
      return try database.addresses(role: .parent).map { parent in
        let waiting = try database.rows(
          "SELECT seq, item_id FROM outbox_item WHERE peer = ? AND class = \(ItemNumber.control) AND kind = ?",
          [parent.number, ItemKind.conditions.rawValue])
        for item in waiting {
          try database.withdraw(parent.number, .control, item["seq"], itemID: item["item_id"], as: nil, at: wall)
        }
        return try database.enqueue(
          parent, .control, kind: .conditions, itemID: Array(keys.freshKey().prefix(16)),
          body: coding.encode(conditions), at: wall)
      }
    }
  }

  /// Returns the conditions of all children's machines that are known here.
  public func conditions() async throws(StoreError) -> [DeviceID: [MachineCondition]] {
    try await read { database in
      var found: [DeviceID: [MachineCondition]] = [:]
      for row in try database.rows("SELECT * FROM condition ORDER BY device_id, place") {
        found[try row.deviceID("device_id"), default: []].append(MachineCondition(row))
      }
      return found
    }
  }
}

extension MachineCondition {
  fileprivate init(_ row: Row) {
    self.init(
      row["name"], account: (row["account"] as Int64?).map { UInt32(clamping: $0) }, detail: row["detail"])
  }
}
