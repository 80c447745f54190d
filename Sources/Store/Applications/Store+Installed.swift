import Foundation
import GRDB
import LatchkeyModel

/// A list of the applications that a machine has found on itself, as this machine knows it.
public struct KnownApplications: Hashable, Sendable {
  /// The number of the list; 0 while parts of another one are on their way.
  public var number: UInt64
  /// The number of applications that were found beyond those of the list.
  public var more: Int
  /// The applications, in the order of their IDs, each ID once.
  public var apps: [InstalledApp]
  /// When the list became known, in Unix milliseconds by this machine's wall clock; for people only.
  public var toldAt: Int64
}

/// The applications that children's machines have found on themselves.
///
/// Spec: Protocol/10-household.md §5.
extension Store {
  /// Keeps the applications that this machine, a child's, has found on itself, and has its parents hear of them if they have
  /// changed.
  ///
  /// - Parameters:
  ///   - list: The applications.
  ///   - matchers: What recognizes them on this machine, which no parent is told.
  ///   - wall: The time in Unix milliseconds.
  /// - Returns: The number of the list that holds now, and the changed streams.
  /// - Throws: The database's error.
  public func setInstalled(
    _ list: InstalledList, matchers: [AppID: InstalledMatchers] = [:], at wall: Int64
  ) async throws(StoreError) -> (number: UInt64, changes: [OutboxChange]) {
    try await commits.commit(.upkeep) { [own, coding, keys] database in
      try database.save(matchers)
      let known = try database.installed(on: own, coding)
      if let known, known.apps == list.apps, known.more == list.more { return (known.number, []) }
      let number = (known?.number ?? 0) &+ 1
      let parts = list.parts(number: number)
      for part in parts { try database.save(part, of: own, coding, at: wall) }
      var changes: [OutboxChange] = []
      for parent in try database.addresses(role: .parent) {
        let waiting = try database.rows(
          "SELECT seq, item_id FROM outbox_item WHERE peer = ? AND class = \(ItemNumber.control) AND kind = ?",
          [parent.number, ItemKind.installed.rawValue])
        for item in waiting {
          try database.withdraw(parent.number, .control, item["seq"], itemID: item["item_id"], as: nil, at: wall)
        }
        for part in parts {
          changes.append(
            try database.enqueue(
              parent, .control, kind: .installed, itemID: Array(keys.freshKey().prefix(16)), body: coding.encode(part),
              at: wall))
        }
      }
      return (number, changes)
    }
  }

  /// Returns what recognizes the applications that this machine has found on itself.
  public func installedMatchers() async throws(StoreError) -> [AppID: InstalledMatchers] {
    try await read { database in try database.installedMatchers() }
  }

  /// Returns the applications of a machine; `nil` if it has not told of any list.
  public func installed(on device: DeviceID) async throws(StoreError) -> KnownApplications? {
    try await read { [coding] database in try database.installed(on: device, coding) }
  }

  /// Returns the applications of those machines that have told of a list, with one access.
  public func installed(on devices: [DeviceID]) async throws(StoreError) -> [DeviceID: KnownApplications] {
    try await read { [coding] database in
      var found: [DeviceID: KnownApplications] = [:]
      for device in devices { found[device] = try database.installed(on: device, coding) }
      return found
    }
  }
}

extension InboxTransaction {
  /// Takes a part of the list of applications that the sender, a child's machine, has found on itself.
  mutating func applyInstalled(_ item: DeliveryItem, _ body: Result<InstalledPart, BodyFault>) throws {
    do {
      guard peerRole == .child else { throw BodyFault("Only a child's device tells of its applications.", .role) }
      try database.save(try body.get(), of: peer.device, coding, at: wall)
    } catch let fault as BodyFault { passOver(item, .control, fault) }
  }
}

extension Database {
  /// Keeps a part of a machine's list in place of the one before, and forgets those that the list does not have.
  fileprivate func save(
    _ part: InstalledPart, of device: DeviceID, _ coding: any BodyCoding, at wall: Int64
  ) throws {
    try run("DELETE FROM installed_part WHERE device_id = ? AND part >= ?", [device.bytes, Int64(part.parts)])
    try run(
      "INSERT OR REPLACE INTO installed_part VALUES (?, ?, ?, ?)",
      [device.bytes, Int64(part.part), coding.encode(part), wall])
  }

  /// Keeps what recognizes applications, and leaves the disk alone if that is the same as before.
  fileprivate func save(_ matchers: [AppID: InstalledMatchers]) throws {
    guard try installedMatchers() != matchers else { return }
    try run("DELETE FROM installed_matcher")
    for (app, installed) in matchers {
      let lines = installed.matchers.map { "\($0.kind.rawValue) \($0.value)" }.joined(separator: "\n")
      try run("INSERT INTO installed_matcher VALUES (?, ?, ?)", [app.text, lines, installed.isOwn])
    }
  }

  fileprivate func installedMatchers() throws -> [AppID: InstalledMatchers] {
    var found: [AppID: InstalledMatchers] = [:]
    for row in try rows("SELECT * FROM installed_matcher") {
      let (text, lines): (String, String) = (row["app_id"], row["matchers"])
      guard let app = AppID(text) else { continue }
      let matchers: [AppMatcher] = lines.split(separator: "\n").compactMap { line in
        let words = line.split(separator: " ", maxSplits: 1)
        guard words.count == 2, let kind = AppMatcher.Kind(rawValue: String(words[0])) else { return nil }
        return AppMatcher(kind: kind, value: String(words[1]))
      }
      found[app] = InstalledMatchers(matchers, isOwn: row["is_own"])
    }
    return found
  }

  fileprivate func installed(on device: DeviceID, _ coding: any BodyCoding) throws -> KnownApplications? {
    let rows = try rows("SELECT * FROM installed_part WHERE device_id = ? ORDER BY part", [Data(device.bytes)])
    guard let last = rows.last else { return nil }
    let parts = try rows.map { try coding.installed($0.bytes("body")) }
    let isWhole = parts.allSatisfy { $0.number == parts[0].number && $0.parts == parts.count }
    // While parts of another list are on their way, an application may be in two of them.
    let apps = Dictionary(parts.flatMap(\.apps).map { ($0.appID, $0) }) { first, _ in first }
    return KnownApplications(
      number: isWhole ? parts[0].number : 0, more: parts[0].more,
      apps: apps.values.sorted { $0.appID < $1.appID }, toldAt: last["told_at"])
  }

  /// Returns the items that tell a parent which applications this machine has found on itself.
  func installedItems(_ keys: any KeySource, own: DeviceID) throws -> [QueuedItem] {
    try rows("SELECT body FROM installed_part WHERE device_id = ? ORDER BY part", [Data(own.bytes)]).map {
      QueuedItem(
        kind: .installed, id: Array(keys.freshKey().prefix(16)), body: $0.bytes("body"), level: 0)
    }
  }

  /// Forgets the applications of a machine that is no longer paired.
  func forgetInstalled(_ peer: Int64) throws {
    try run("DELETE FROM installed_part WHERE device_id = (SELECT device_id FROM peer WHERE number = ?)", [peer])
  }
}
