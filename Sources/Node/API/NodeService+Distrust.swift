import LatchkeyHousehold
import LatchkeyModel
import LatchkeyStore

/// Warnings of what other machines say and this one does not take.
extension NodeService {
  /// Returns a warning for each child's machine that holds what this machine had set and does not know any more.
  func lostSettingWarnings(_ household: Household) -> [String] {
    household.machines.compactMap { machine in
      guard let lost = household.lost[machine.device] else { return nil }
      let what = HouseholdKey.phrase(lost)
      guard lost.contains(where: mayTakeOver) else {
        return
          "“\(machine.name)” says that it holds settings of this machine's that are not known here (\(what)), with a time more "
          + "than a day ahead of this machine's clock. If a clock is wrong, set it right. If not, somebody has changed that "
          + "machine's files: unpair it, remove its state folder, and pair it again."
      }
      return
        "“\(machine.name)” says that it holds settings of this machine's that are not known here: \(what). If this machine was "
        + "restored from a backup, take them over with `latchkey report adopt --on "
        + "\(ShellWord.machine(machine.name, machine.device))`, or set them again as you want them. If not, find out who can "
        + "change that machine's files."
    }
  }

  /// Returns whether the time of a register that a machine tells of is close enough to this machine's clock.
  private func mayTakeOver(_ register: Register) -> Bool {
    HybridTimestamp.mayWitness(register.modified.wall, at: context.wall())
  }

  /// Sets again what this machine had set, has lost since, and a child's machine says that it holds.
  public func adopt(device: String) async throws(LocalAPIError) -> [AdoptedSetting] {
    let peer = try await find(device)
    guard context.profile.role == .parent, peer.device.role == .child else {
      throw LocalAPIError(.wrongRole, "Rules are taken over on a parent's machine, from a child's: run this there.")
    }
    let (context, id) = (context, peer.device.deviceID)
    let lost = try await household().lost[id]?.filter(mayTakeOver) ?? []
    try await stored { () async throws(StoreError) in
      try await context.store.settleSetBack(id, hasLost: !lost.isEmpty)
    }
    if !lost.isEmpty { try await edit(lost.map { RegisterChange($0.zone, $0.key, $0.value) }) }
    context.changes.notify()
    return lost.map { AdoptedSetting(key: $0.key, value: $0.value, words: HouseholdKey.phrase([$0])) }
  }

  /// Returns a sentence for each machine that sent something that cannot be used.
  func unusableWarnings(_ overview: StoreOverview) -> [String] {
    overview.unusableItems.map { unusable in
      "“\(name(unusable.device, overview.peers))” sent \(unusable.items == 1 ? "an item" : "\(unusable.items) items") that this machine "
        + "did not take. \(unusable.items == 1 ? "The reason" : "The last reason"): \(unusable.reason) Update Latchkey on both "
        + "machines; if more such items come, find out who can change that machine's files."
    }
  }
}
