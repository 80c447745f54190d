import LatchkeyModel
import LatchkeyStore

/// Warnings of what other machines say and this one does not take.
extension NodeService {
  /// Returns a warning for each child's machine that reports a different state than was set here.
  func discrepancyWarnings(_ peers: [PeerStatus]) -> [String] {
    peers.compactMap { peer in
      guard let found = peer.discrepancies, !found.isEmpty else { return nil }
      var names = found.prefix(3).map { $0.displayName ?? "the family's rules" }
      if found.count > names.count { names.append("\(found.count - names.count) more") }
      let things =
        names.count == 1 ? names[0] : names.dropLast().joined(separator: ", ") + " and " + (names.last ?? "")
      let pages = [
        found.contains { $0.appID != nil } ? "`latchkey apps list`" : nil,
        found.contains { $0.appID == nil } ? "`latchkey settings show`" : nil,
      ].compactMap { $0 }.joined(separator: " and ")
      let next =
        found.contains(where: \.isFarAhead)
        ? "It claims a time more than a day ahead of this machine's clock, and keeps to it whatever is set here. If a clock is "
          + "wrong, set it right. If not, somebody has changed that machine's files: unpair it, remove its state folder, and "
          + "pair it again."
        : "Set it again to bring it back; if no other parent changed it, find out who can change that machine's files."
      return
        "“\(peer.device.name)” says that it does not hold what was set here for \(things): \(pages) shows what it says. \(next)"
    }
  }

  /// Stores the states that a child's machine reports in place of the different ones shown here, and returns those
  /// states.
  public func adopt(device: String) async throws(LocalAPIError) -> [Discrepancy] {
    let peer = try await find(device)
    guard context.profile.role == .parent, peer.device.role == .child else {
      throw LocalAPIError(.wrongRole, "Rules are taken over on a parent's machine, from a child's: run this there.")
    }
    let adopted = try await stored { () async throws(StoreError) in
      try await context.store.adopt(peer.device.deviceID, at: context.wall())
    }
    context.changes.notify()
    return adopted
  }

  /// Returns a sentence for each machine that sent something that cannot be used.
  func unusableWarnings() async throws(LocalAPIError) -> [String] {
    let found = try await stored { () async throws(StoreError) in try await context.store.unusableItems() }
    if found.isEmpty { return [] }
    let peers = try await stored { () async throws(StoreError) in try await context.store.peers() }
    return found.map { unusable in
      "“\(name(unusable.device, peers))” sent \(unusable.items == 1 ? "an item" : "\(unusable.items) items") that this machine "
        + "did not take. \(unusable.items == 1 ? "The reason" : "The last reason"): \(unusable.reason) Update Latchkey on both "
        + "machines; if more such items come, find out who can change that machine's files."
    }
  }
}
