import LatchkeyModel
import LatchkeyStore

/// Warnings of what other machines say and this one does not take.
extension NodeService {
  /// Returns a warning for each child's machine that reports a different state than was set here.
  func discrepancyWarnings(_ peers: [PeerStatus]) async throws(LocalAPIError) -> [String] {
    let setBacks = try await stored { () async throws(StoreError) in try await context.store.setBacks() }
    return peers.compactMap { peer in
      guard let found = peer.discrepancies, !found.isEmpty else { return nil }
      let (unknown, changed) = (found.filter(\.isUnknownHere), found.filter { !$0.isUnknownHere })
      var claims: [String] = []
      if !changed.isEmpty { claims.append("does not hold what was set here for \(Self.subjects(changed))") }
      if !unknown.isEmpty { claims.append("holds rules for \(Self.subjects(unknown)) that are not known here") }
      let pages = [
        found.contains { $0.appID != nil } ? "`latchkey apps list`" : nil,
        found.contains { $0.appID == nil } ? "`latchkey settings show`" : nil,
      ].compactMap { $0 }.joined(separator: " and ")
      let next = Self.next(
        found, of: peer,
        wasSetBack: setBacks.contains { $0.device == peer.device.deviceID && $0.cause == .peerIsAhead })
      return
        "“\(peer.device.name)” says that it \(claims.joined(separator: ", and ")): \(pages) shows what it says. \(next)"
    }
  }

  /// Returns what a person does about discrepancies, and does not accuse anybody where there is an innocent reason.
  private static func next(_ found: [Discrepancy], of peer: PeerStatus, wasSetBack: Bool) -> String {
    let machine = ShellWord.machine(peer.device.name, peer.device.deviceID)
    let choice = "set it again as you want it, or take over what it says with `latchkey report adopt --on \(machine)`."
    if found.contains(where: \.isFarAhead) {
      return
        "It claims a time more than a day ahead of this machine's clock, and keeps to it whatever is set here. If a clock is "
        + "wrong, set it right. If not, somebody has changed that machine's files: unpair it, remove its state folder, and "
        + "pair it again."
    }
    if wasSetBack { return "This machine was set back to an earlier state and may have lost it: \(choice)" }
    if let other = peer.otherParents?.first?.parent.name { return "“\(other)” may have set it: \(choice)" }
    return "Set it again to bring it back; if no other parent changed it, find out who can change that machine's files."
  }

  /// Returns what discrepancies are about, in words; of more than three the first ones and how many more there are.
  private static func subjects(_ found: [Discrepancy]) -> String {
    var names = found.prefix(3).map(\.subject)
    if found.count > names.count { names.append("\(found.count - names.count) more") }
    return names.count == 1 ? names[0] : names.dropLast().joined(separator: ", ") + " and " + (names.last ?? "")
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
