import LatchkeyHousehold
import LatchkeyModel
import LatchkeyStore

/// The warnings of the node's state, each with its next step.
extension Call {
  func warnings(_ overview: StoreOverview) async throws -> [String] {
    try await context.warnings + [context.folder.parentWarning].compactMap { $0 } + setBackWarnings(overview)
      + lostSettingWarnings(household()) + unusableWarnings(overview) + refusalWarnings(overview)
      + lossWarnings(overview) + renamingWarnings(overview) + ledgerWarnings(overview)
  }

  private func setBackWarnings(_ overview: StoreOverview) -> [String] {
    overview.setBacks.map { setBack in
      let name = setBack.name
      let machine = ShellWord.machine(name, setBack.device)
      return switch (setBack.cause, setBack.role) {
      case (.peerLost, .child):
        "“\(name)” has lost data: perhaps it was reset, or restored from a backup. Its rules are sent again. Messages that are "
          + "too old for that are shown as failed by `latchkey commands`. To see what it has now, run `latchkey report request "
          + "--on \(machine)`; this warning ends with its answer."
      case (.peerLost, .parent):
        "“\(name)” has lost data: perhaps it was reset, or restored from a backup. The use of programs that is recorded here is "
          + "sent again: run `latchkey usage` on both machines and compare."
      case (.peerIsAhead, .child):
        "This machine has lost data that “\(name)” still has: perhaps this machine was restored from a backup. To take over "
          + "the rules that were set here and are lost, run `latchkey report adopt --on \(machine)`, which ends this warning; "
          + "otherwise set the rules again here."
      case (.peerIsAhead, .parent):
        "This machine has lost data that “\(name)” still has: perhaps this machine was restored from a backup. What is recorded "
          + "here is sent again. Run `latchkey apps` to see whether the newest rules are here; if not, set them again on “\(name)”."
      }
    }
  }

  private func renamingWarnings(_ overview: StoreOverview) -> [String] {
    guard role == .parent else { return [] }
    return overview.renamings.map { renaming in
      "“\(renaming.before)” was renamed and is called “\(renaming.name)” now: if that is not right, run `latchkey devices rename "
        + "\(renaming.device.short) --to` with the name that you want."
    }
  }

  /// Returns the warnings about usage that children's machines dropped because their queues were
  /// full.
  private func lossWarnings(_ overview: StoreOverview) -> [String] {
    overview.losses.map { loss in
      "“\(name(loss.device, overview.peers))” had no room for \(loss.sessions) sessions of use (\(loss.activeMilliseconds / 60_000) "
        + "minutes), which are missing here: keep the two machines in touch, or let more wait with `latchkey run --queue-items`."
    }
  }

  /// Returns a warning for each child's machine that reports settings of this machine which are not
  /// known here.
  private func lostSettingWarnings(_ household: Household) -> [String] {
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

  /// Returns a warning for each machine that sent items which cannot be used.
  private func unusableWarnings(_ overview: StoreOverview) -> [String] {
    overview.unusableItems.map { unusable in
      "“\(name(unusable.device, overview.peers))” sent \(unusable.items == 1 ? "an item" : "\(unusable.items) items") that this machine "
        + "did not take. \(unusable.items == 1 ? "The reason" : "The last reason"): \(unusable.reason) Update Latchkey on both "
        + "machines; if more such items come, find out who can change that machine's files."
    }
  }

  /// Returns a warning for each paired machine that refused items of this machine.
  private func refusalWarnings(_ overview: StoreOverview) async throws -> [String] {
    if overview.refusedInAll.isEmpty { return [] }
    let tallies = try await context.store.refusals()
    return overview.refusedInAll.sorted { $0.key < $1.key }.map { device, total in
      let parts = tallies.filter { $0.device == device }.map { tally in
        "\(Self.words(tally.kind, tally.items)), which \(tally.reason.words)"
      }
      let what = total == 1 ? "an item" : "\(total) items"
      let detail = parts.isEmpty ? "" : " (\(parts.joined(separator: "; ")))"
      let records = tallies.contains { $0.device == device && $0.kind == .usageRecord }
      return "“\(name(device, overview.peers))” refused \(what) of this machine\(detail): "
        + (records ? "`latchkey usage list` marks the records, which are kept here and missing there. " : "")
        + "Update Latchkey on both machines."
    }
  }

  private static func words(_ kind: ItemKind, _ items: Int64) -> String {
    let (one, several) =
      switch kind {
      case .receipt: ("answer to a command", "answers to commands")
      case .usageRecord: ("record of use", "records of use")
      case .usageLoss: ("report of lost use", "reports of lost use")
      default: ("item", "items")
      }
    return items == 1 ? "1 \(one)" : "\(items) \(several)"
  }

  private func ledgerWarnings(_ overview: StoreOverview) async throws -> [String] {
    let counts = overview.facts
    guard let most = FactRegistry.household.definition(.ledger)?.most else { return [] }
    let full = counts.filter { $0.value >= most / 10 * 9 }
    if full.isEmpty { return [] }
    let household = try await household()
    return full.sorted { $0.key < $1.key }.map { child, count in
      Self.ledgerWarning(household.name(of: child) ?? "a child", count: count, most: most)
    }
  }

  static func ledgerWarning(_ child: String, count: Int, most: Int) -> String {
    let name = DeviceName(sanitising: child)
    let remedy =
      "On a parent's machine, note what `latchkey points` says, run `latchkey children remove` and `latchkey children add` "
      + "for \(name), and give the points again with `latchkey points adjust`."
    guard count < most else {
      return
        "There is no room for more changes of \(name)'s points (\(most)): learning earns nothing, and rewards cost "
        + "nothing. \(remedy)"
    }
    return
      "\(name)'s points have room for \(most - count) more changes; after that, nothing is earned or charged. \(remedy)"
  }
}
