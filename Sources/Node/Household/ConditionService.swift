import LatchkeyHousehold
import LatchkeyModel
import LatchkeySystem

/// A service that has the parents of a child's machine know what weakens their rules there.
///
/// Spec: Protocol/10-household.md §6.
struct ConditionService: Sendable {
  let context: NodeContext
  let directory: LinkDirectory
  private static let pause: Int64 = 60_000
  /// Milliseconds between two looks while something changes.
  private static let rest: Int64 = 1_000
  /// Milliseconds within which an agent is there again and has said what it does not carry out.
  private static let patience = EnforcementState.startMilliseconds
  /// Unix milliseconds before which a clock cannot have been set: the beginning of 2024.
  private static let earliest: Int64 = 1_704_067_200_000

  func run() async {
    var unheardSince: BootInstant? = context.now()
    // Orders change often: not each of them is worth a look.
    await context.enforcementState.changes.follow(gathering: Self.rest) {
      let now = context.now()
      unheardSince = context.enforcementState.isAgentHeard ? nil : unheardSince ?? now
      if let unheardSince, now - unheardSince < Self.patience, context.configuration.agent != .none {
        // What the agent said before the node or itself was started again is not over because it
        // has not said it again.
        return Self.patience - (now - unheardSince)
      }
      await look(isAgentSilent: unheardSince != nil && context.enforcementState.agent == nil)
      return Self.pause
    }
  }

  private func look(isAgentSilent: Bool) async {
    do {
      let household = try await context.readHousehold()
      let all = try await context.store.accounts(of: context.own)
      let accounts = all.filter { household.user(of: $0.uid, on: context.own) != .nobody }
      let faults = faultConditions()
      var conditions = self.conditions(accounts, isAgentSilent: isAgentSilent)
      for account in accounts {
        let sharers = household.sharers(of: account.uid, on: context.own)
        if sharers.contains(where: { household.rules(for: $0).pin == nil }) {
          conditions.append(MachineCondition("pin-missing", account: account.uid))
        }
        var isTried = false
        for child in sharers where !isTried {
          isTried = try await context.store.wrongPINs(of: child)?.areMany(in: context.bootID) == true
        }
        if isTried { conditions.append(MachineCondition("pin-tried", account: account.uid)) }
      }
      if let agent = context.enforcementState.agent, !agent.isSystem {
        conditions += household.unreached(byAgentOf: agent.user, on: context.own)
      }
      if context.enforcementState.agent?.isSystem == true, !household.children(of: context.own).isEmpty {
        if accounts.isEmpty { conditions.append(MachineCondition("no-account")) }
        for account in all where household.owners(of: account.uid, on: context.own) == nil {
          // Who decided last is this machine where another account had the number before.
          let isNew = household.registers[.machine(context.own), HouseholdKey.account(account.uid)]
            .map { $0.value == nil && $0.modified.author == context.own }
          conditions.append(MachineCondition(isNew == true ? "account-new" : "account-open", account: account.uid))
        }
        for account in household.unlisted(on: context.own)
        where household.owners(ofAccountNamed: account.name, on: context.own)?.isEmpty == false {
          conditions.append(MachineCondition("account-unknown", detail: account.name))
        }
        let known = Set(all.map(\.uid))
        for uid in SystemAccounts.inSession().subtracting(known).sorted() where uid != 0 {
          let name = SystemAccounts.entry(numbered: uid)?.name ?? String(uid)
          conditions.append(
            MachineCondition("account-unlisted", account: uid, detail: name.utf8.count <= 64 ? name : String(uid)))
        }
      }
      // There is room for so many: what may be as many as applications comes last, and what merely
      // informs after that.
      conditions += faults.serious
      if context.enforcementState.agent != nil {
        let unordered = try await context.unorderedApps()
        for (name, apps) in [
          ("rule-unrecognized", unordered.unrecognized), ("rule-own-file", unordered.ofOwnFiles),
          ("rule-own-entry", unordered.ofOwnEntries.subtracting(unordered.ofOwnFiles)),
        ] {
          for app in apps.sorted() where app.text.utf8.count <= 64 {
            conditions.append(MachineCondition(name, detail: app.text))
          }
        }
      }
      conditions += faults.notes.filter { !conditions.contains($0) }
      await directory.committed(try await context.store.setInventory(EntryList(conditions), at: context.wall()).changes)
    } catch {
      context.logger.error("the machine's condition could not be kept", metadata: ["reason": "\(error)"])
    }
  }

  /// Returns what the agent does not carry out: what weakens rules, and what is merely to be known.
  private func faultConditions() -> (serious: [MachineCondition], notes: [MachineCondition]) {
    var (serious, notes): ([MachineCondition], [MachineCondition]) = ([], [])
    // An application may have several matchers of which none counts.
    var known: Set<MachineCondition> = []
    for fault in context.enforcementState.faults {
      let app = fault.app?.text ?? ""
      // Without its name, what is not installed says nothing; it is there for no account.
      if fault.kind == .noProgram, app.utf8.count > 64 { continue }
      let isOfMachine = fault.account == 0 || fault.kind == .noProgram
      let condition = MachineCondition(
        fault.condition, account: isOfMachine ? nil : fault.account, detail: app.utf8.count <= 64 ? app : "")
      guard condition.fault == nil, known.insert(condition).inserted else { continue }
      if fault.kind.isNote { notes.append(condition) } else { serious.append(condition) }
    }
    return (serious, notes)
  }

  private func conditions(_ accounts: [Account], isAgentSilent: Bool) -> [MachineCondition] {
    var conditions: [MachineCondition] = []
    if context.configuration.agent == .none {
      conditions.append(MachineCondition("no-agent"))
    } else if isAgentSilent {
      conditions.append(MachineCondition("agent-silent"))
    }
    if let agent = context.enforcementState.agent {
      if !agent.isSystem { conditions.append(MachineCondition("own-programs-only")) }
      if agent.isSystem, !agent.hasEvents { conditions.append(MachineCondition("no-process-events")) }
      if agent.isSystem, !agent.hasSessions { conditions.append(MachineCondition("no-sessions")) }
      if agent.isSystem, !agent.hasInput { conditions.append(MachineCondition("no-input")) }
      if agent.isSystem, !LoginGateLine.isThere() { conditions.append(MachineCondition("no-login-gate")) }
    }
    conditions += context.enforcementState.noted(at: context.now()).map { MachineCondition($0) }
    if context.wall() < Self.earliest { conditions.append(MachineCondition("clock-unset")) }
    for name in OtherEnforcers.installed() { conditions.append(MachineCondition("other-enforcer", detail: name)) }
    for account in accounts {
      for group in AccountRisks.privilegedGroups(of: account.uid) {
        conditions.append(MachineCondition("privileged-group", account: account.uid, detail: group))
      }
      if AccountRisks.isLingering(account.uid) {
        conditions.append(MachineCondition("lingering", account: account.uid))
      }
    }
    return conditions
  }
}
