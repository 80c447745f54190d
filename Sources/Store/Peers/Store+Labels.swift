import Foundation
import GRDB
import LatchkeyModel

/// The names of devices: the label with the later hybrid time wins. Spec: Protocol/04-session.md
/// §3.
extension Store {
  /// Returns this device's label; `nil` if it was never given another name than the one it was made
  /// with.
  public func ownLabel() async throws(StoreError) -> DeviceLabel? {
    try await read { database in try database.ownLabel() }
  }

  public func rename(to name: DeviceName, at wall: Int64) async throws(StoreError) -> DeviceLabel {
    try await commits.commit { [own] database in
      let label = DeviceLabel(name, at: try database.tick(wall: wall, author: own))
      try database.keepOwn(label, own: own, by: own, at: wall)
      return label
    }
  }

  /// Renames a paired device, or assigns it to a child.
  ///
  /// The child's name has at most 64 bytes, and is empty for no child. `nil` leaves a name
  /// unchanged.
  public func rename(
    _ device: DeviceID, to name: DeviceName?, childName: String?, at wall: Int64
  ) async throws(StoreError) {
    try await commits.commit { [own] database in
      guard let row = try database.row("SELECT * FROM peer WHERE device_id = ?", [Data(device.bytes)])
      else { throw StoreError.noSuchPeer }
      if let name {
        let held = try PeerRecord(row).label
        // Later than every known label, so that it replaces them.
        if let at = held.at, HybridTimestamp.mayWitness(at.wall, at: wall) { try database.witness(at.wall, at.counter) }
        let label = DeviceLabel(name, at: try database.tick(wall: wall, author: own))
        try database.keep(label, of: device, before: held, by: own, at: wall)
        try database.run("UPDATE peer SET former_name = NULL WHERE device_id = ?", [Data(device.bytes)])
      }
      if let childName {
        let old: String? = row["child_name"]
        try database.run(
          "UPDATE peer SET child_name = ? WHERE device_id = ?",
          [childName.isEmpty ? nil : childName, Data(device.bytes)])
        try database.audit("device.assigned", of: device.description, old: old, new: childName, by: own, at: wall)
      }
    }
  }

  /// Stores the names of the two devices that a peer states.
  ///
  /// A child's machine accepts its own name from its parents; otherwise a device names only itself.
  /// Labels with a time far ahead are ignored, since no later rename could replace them. If a
  /// child's machine takes a name by which this parent refers to another machine, it gets that name
  /// with a number, as in a pairing. The parent reports the new name to it.
  public func take(
    _ labels: SessionLabels, from device: DeviceID, calledHere ownName: DeviceName? = nil, at wall: Int64
  ) async throws(StoreError) -> (own: DeviceLabel?, isPeerRenamed: Bool) {
    let age = age()
    return try await commits.commit(.upkeep) { [own] database -> (own: DeviceLabel?, isPeerRenamed: Bool) in
      guard let row = try database.row("SELECT * FROM peer WHERE device_id = ? AND state = 2", [Data(device.bytes)])
      else { return (nil, false) }
      let record = try PeerRecord(row)
      var renamed: DeviceLabel?
      if record.device.role == .parent, let yours = labels.yours, try database.mayTake(yours, at: wall) {
        let present = try database.ownLabel() ?? DeviceLabel(yours.name)
        if yours.replaces(present) {
          try database.keepOwn(yours, own: own, by: device, at: wall)
          renamed = yours
        }
      }
      guard var label = labels.own, try database.mayTake(label, at: wall), label.replaces(record.label)
      else { return (renamed, false) }
      if record.device.role == .child {
        let taken = try database.namesInUse(except: device) + [ownName].compactMap { $0 }
        let name = label.name.distinct(from: taken)
        if name != label.name { label = DeviceLabel(name, at: try database.tick(wall: wall, author: own)) }
      }
      try database.keep(label, of: device, before: record.label, by: device, at: wall)
      try database.noteRenaming(device, from: record.label.name, to: label.name, age: age)
      return (renamed, true)
    }
  }

  /// A device that another machine's people gave another name.
  public struct Renaming: Hashable, Sendable {
    public var device: DeviceID
    /// Its name here before.
    public var before: DeviceName
    public var name: DeviceName
  }
}

extension Database {
  /// Returns the paired devices that were renamed elsewhere, each for a day of this machine's
  /// running.
  func renamings(age: Int64) throws -> [Store.Renaming] {
    try rows(
      "SELECT * FROM peer WHERE state = 2 AND former_name IS NOT NULL AND former_name_age > ? ORDER BY number", [age]
    ).map {
      Store.Renaming(
        device: try $0.deviceID("device_id"), before: DeviceName(sanitising: $0["former_name"]),
        name: DeviceName(sanitising: $0["name"]))
    }
  }

  /// Milliseconds of running for which a new name counts as news.
  private static var renamingMilliseconds: Int64 { 86_400_000 }

  /// Returns the names by which people mean a paired device other than one: its own, and its
  /// children's.
  fileprivate func namesInUse(except device: DeviceID) throws -> [DeviceName] {
    try rows("SELECT * FROM peer WHERE state < 3 AND device_id <> ?", [Data(device.bytes)])
      .flatMap { DeviceSearch.Label(try PeerRecord($0).device).names }
  }

  /// Keeps the name of a device from before it was renamed elsewhere, for a day.
  ///
  /// If it had several names in a day, the first is kept.
  fileprivate func noteRenaming(_ device: DeviceID, from before: DeviceName, to name: DeviceName, age: Int64) throws {
    try run(
      """
      UPDATE peer SET former_name = CASE WHEN former_name IS NOT NULL AND former_name_age > ?2 THEN former_name ELSE ?3 END,
        former_name_age = ?2 + ?4 WHERE device_id = ?1
      """, [Data(device.bytes), age, before.text, Self.renamingMilliseconds])
    try run(
      "UPDATE peer SET former_name = NULL WHERE device_id = ? AND former_name = ?", [Data(device.bytes), name.text])
  }

  fileprivate func ownLabel() throws -> DeviceLabel? { try row("SELECT * FROM own_label").map { try DeviceLabel($0) } }

  /// Returns whether another device's label may be stored; if so, its time advances this device's
  /// hybrid clock.
  fileprivate func mayTake(_ label: DeviceLabel, at wall: Int64) throws -> Bool {
    guard let at = label.at, HybridTimestamp.mayWitness(at.wall, at: wall) else { return false }
    try witness(at.wall, at.counter)
    return true
  }

  fileprivate func keepOwn(_ label: DeviceLabel, own: DeviceID, by author: DeviceID, at wall: Int64) throws {
    guard let at = label.at else { return }
    let before = try ownLabel()
    try run(
      "INSERT OR REPLACE INTO own_label VALUES (1, ?, ?, ?, ?)",
      [label.name.text, at.wall, Int64(at.counter), Data(at.author.bytes)])
    try audit("device.renamed", of: own.description, old: before?.name.text, new: label.name.text, by: author, at: wall)
  }

  fileprivate func keep(
    _ label: DeviceLabel, of device: DeviceID, before: DeviceLabel, by author: DeviceID, at wall: Int64
  ) throws {
    try run(
      "UPDATE peer SET name = ?, name_wall = ?, name_counter = ?, name_author = ? WHERE device_id = ?",
      [
        label.name.text, label.at?.wall, label.at.map { Int64($0.counter) }, label.at.map { Data($0.author.bytes) },
        Data(device.bytes),
      ])
    guard label.name != before.name else { return }
    try audit(
      "device.renamed", of: device.description, old: before.name.text, new: label.name.text, by: author, at: wall)
  }
}

extension DeviceLabel {
  /// Creates the label that a row holds in the columns `name` and `name_…`.
  init(_ row: Row) throws {
    var at: HybridTimestamp?
    if let wall = row["name_wall"] as Int64?, let author = row["name_author"] as Data? {
      guard let author = DeviceID(bytes: author) else { throw StoreError.unexpected("who gave a name") }
      at = HybridTimestamp(wall: wall, counter: UInt32(clamping: row["name_counter"] as Int64), author: author)
    }
    self.init(DeviceName(sanitising: row["name"]), at: at)
  }
}
