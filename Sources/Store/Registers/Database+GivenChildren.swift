import Foundation
import GRDB
import LatchkeyModel

/// The children of a machine.
///
/// They decide what is sent to it, and which of its statements are believed. Spec:
/// Protocol/10-household.md §2.
extension Database {
  /// Returns the registers of a machine's zone that decide what is sent to the machine.
  func givenZone(of device: DeviceID) throws -> [Register] {
    try registers(in: .machine(device)).narrowed(by: try toldZone(of: device))
  }

  /// Returns the children whose registers, use and facts are sent to a machine.
  func givenChildren(of device: DeviceID) throws -> [ChildID] { try givenZone(of: device).servedChildren }

  /// Returns the children of a machine by all that is known, including the machine's own report.
  ///
  /// That report assigns the use of the machine. It is never a reason to send data to the machine.
  func servedChildren(of device: DeviceID) throws -> [ChildID] {
    var map = RegisterMap(try registers(in: .machine(device)))
    for register in try toldZone(of: device) { map.merge(register) }
    return map.registers.servedChildren
  }

  /// Returns whether a machine is sent a child's data.
  func serves(_ device: DeviceID, _ child: ChildID) throws -> Bool {
    guard let key = RegisterKey(["child", child.description]),
      let held = try register(key, in: .machine(device)), held.servedChild == child
    else { return false }
    let told = try row(
      """
      SELECT t.* FROM told_register t JOIN peer p ON p.number = t.peer
      WHERE p.device_id = ? AND t.zone = ? AND t.key = ?
      """, [Data(device.bytes), Data(Zone.machine(device).bytes), key.text]
    ).map(Register.init(row:))
    return [held].narrowed(by: told.map { [$0] } ?? []).servedChildren == [child]
  }

  /// Returns whether a machine is or was a child's by the registers here.
  func hasServed(_ device: DeviceID, _ child: ChildID) throws -> Bool {
    guard let key = RegisterKey(["child", child.description]) else { return false }
    return try register(key, in: .machine(device)) != nil
  }

  /// Acts on a machine's report that another parent has taken a child from it that this parent gave
  /// it, or has given the child back.
  func noteOwner(_ told: Register, _ device: DeviceID, own: DeviceID) throws {
    guard let child = told.key.servedChild, let held = try register(told.key, in: told.zone),
      held.servedChild != nil, told.holds(over: held)
    else { return }
    // In both cases, the use is sent again when the machine belongs to the child again.
    try run(
      "DELETE FROM use_shared WHERE child = ? AND peer = (SELECT number FROM peer WHERE device_id = ?)",
      [child.bytes, device.bytes])
    if told.servedChild == nil {
      try endHolding(device, child)
      try forgetTold(of: child, by: device)
    } else if told.modified.author != own {
      // It may have forgotten the child's zone in between, so it gets this parent's edits again.
      try run("UPDATE peer SET introduced = 0 WHERE device_id = ?", [device.bytes])
    }
  }

  /// Deletes a machine's registers of a child's zone, as the machine does when it stops serving the
  /// child.
  ///
  /// The name is kept, since it is still shown.
  func forgetTold(of child: ChildID, by device: DeviceID) throws {
    try run(
      """
      DELETE FROM told_register
      WHERE zone = ? AND key <> 'name' AND peer = (SELECT number FROM peer WHERE device_id = ?)
      """, [Zone.child(child).bytes, device.bytes])
  }

  private func toldZone(of device: DeviceID) throws -> [Register] {
    try rows(
      "SELECT t.* FROM told_register t JOIN peer p ON p.number = t.peer WHERE p.device_id = ? AND t.zone = ?",
      [Data(device.bytes), Data(Zone.machine(device).bytes)]
    ).map(Register.init(row:))
  }
}
