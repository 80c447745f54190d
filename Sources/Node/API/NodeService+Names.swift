import LatchkeyModel
import LatchkeyStore

/// The names of machines.
///
/// Spec: Protocol/04-session.md §3.
extension NodeService {
  /// Renames a device, or assigns it to a child.
  public func rename(device: String, _ request: RenameRequest) async throws(LocalAPIError) -> RenameResult {
    var name: DeviceName?
    if let text = request.name {
      do { name = try DeviceName(text) } catch { throw LocalAPIError(.invalid, error.description) }
    }
    var childName: String?
    if let text = request.childName {
      do { childName = try text.isEmpty ? "" : DeviceName(text).text } catch {
        throw LocalAPIError(.invalid, error.description)
      }
    }
    guard name != nil || childName != nil else {
      throw LocalAPIError(.invalid, "Nothing is to be changed: give a new name, or say whose machine it is.")
    }
    if try await isOwn(device) { return try await renameSelf(name, childName) }
    let peer = try await find(device)
    guard context.profile.role == .parent else {
      throw LocalAPIError(
        .wrongRole,
        "A child's machine names itself alone: rename “\(peer.device.name)” there, or this one with `latchkey devices rename "
          + "--self`.")
    }
    if let name { try await checkFree(name, except: peer.device.deviceID) }
    let (id, newName) = (peer.device.deviceID, name)
    let isOfChild = peer.device.role == .child
    let label = isOfChild ? nil : childName
    if newName != nil || label != nil {
      try await stored { () async throws(StoreError) in
        try await context.store.rename(id, to: newName, childName: label, at: context.wall())
        try await directory.refresh(id)
      }
    }
    var unassigned: [String] = []
    if isOfChild, let childName { unassigned = try await setOwner(of: id, to: childName) }
    context.changes.notify()
    let isConnected = await directory.link(id)?.current != nil
    let renamed = try await stored { () async throws(StoreError) in try await context.store.peer(id) } ?? peer
    return RenameResult(
      deviceID: id, name: renamed.device.name, childName: renamed.device.childName, isOwn: false,
      untold: name == nil || isConnected ? [] : [renamed.device.name], unassigned: unassigned)
  }

  private func renameSelf(_ name: DeviceName?, _ childName: String?) async throws(LocalAPIError) -> RenameResult {
    guard let name, childName == nil else {
      throw LocalAPIError(.invalid, "Whose machine it is, a parent's machine says: run this there.")
    }
    try await checkFree(name, except: context.own)
    let label = try await stored { () async throws(StoreError) in
      try await context.store.rename(to: name, at: context.wall())
    }
    await directory.renamed(label)
    var untold: [DeviceName] = []
    for peer in try await active() {
      let isConnected = await directory.link(peer.device.deviceID)?.current != nil
      if !isConnected { untold.append(peer.device.name) }
    }
    return RenameResult(deviceID: context.own, name: name, childName: nil, isOwn: true, untold: untold)
  }

  /// Returns whether a text names the node's own device; paired devices take precedence.
  private func isOwn(_ text: String) async throws(LocalAPIError) -> Bool {
    if DeviceID(text) == context.own { return true }
    guard text.lowercased() == context.name.text.lowercased() else { return false }
    return try await !active().contains { $0.device.name.text.lowercased() == text.lowercased() }
  }

  /// Throws if another device of the family is called so.
  private func checkFree(_ name: DeviceName, except device: DeviceID) async throws(LocalAPIError) {
    var taken = try await active().filter { $0.device.deviceID != device }
      .flatMap { DeviceSearch.Label($0.device).names }
    if device != context.own { taken.append(context.name) }
    guard taken.contains(where: { $0.text.lowercased() == name.text.lowercased() }) else { return }
    throw LocalAPIError(.invalid, "Another machine, or its child, is called “\(name)” already: choose another name.")
  }
}
