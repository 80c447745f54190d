import LatchkeyModel
import LatchkeyRules

/// A child's machine by what it has told of how far rules are carried out there.
///
/// Spec: Protocol/10-household.md §6.
struct ToldMachine {
  var device: DeviceID
  var conditions: [ConditionListing]
  /// The accounts that it is asked about, such as a child's; `nil` if no child's is known.
  var accounts: Set<UInt32>?
  /// What to call it in sentences: “this machine”, or its name in quotation marks.
  var words = "the machine"
  /// Its name; `nil` for this machine, and for one without a name here.
  var name: DeviceName?
  /// The option that names the child in commands, such as `--child Emma`; it may be empty.
  var whose = ""
  /// A Boolean value that indicates whether it may have told this before the last change.
  var isBehind = false

  var place: Phrase.Argument {
    if let name { return name.quotation }
    return .phrase(words == "this machine" ? Phrase("this machine") : Phrase("the machine"))
  }
  /// A Boolean value that indicates whether it has told all of its conditions.
  var isWhole = true
  var installed: Set<AppID> = []
  /// The applications of which it has refused a file of the child's own that no parent has listed.
  var refused: Set<AppID> = []

  /// The sentence on why it closes nothing in these accounts; `nil` if it closes something.
  var nothing: String? {
    if let all = conditions.first(where: { $0.condition.reach == .machine }) { return all.sentences() }
    guard let accounts else { return nil }
    let refused = conditions.filter { $0.condition.reach == .account }
    if accounts.isEmpty { return ConditionKind.named("no-account").map { $0.sentences(on: words) } }
    return accounts.isSubset(of: refused.compactMap(\.condition.account))
      ? refused.first { $0.condition.account.map(accounts.contains) == true }?.sentences() : nil
  }

  func faults(of app: AppID) -> [ConditionListing] {
    conditions.filter { listing in
      let (condition, account) = (listing.condition, listing.condition.account)
      return condition.reach == .application && condition.detail == app.text
        && account.map { accounts?.contains($0) ?? true } ?? true
    }
  }

  /// Returns whether it would not have told that it recognizes nothing as an application: its list
  /// was full, or has no room for so long an ID.
  func isSilent(on app: AppID) -> Bool {
    !installed.contains(app) && (!isWhole || MachineCondition("rule-unrecognized", detail: app.text).fault != nil)
  }
}

extension ConditionKind {
  func sentences(
    on machine: String, account: String = "", detail: String = "", whose: String = "", app: AppWords? = nil
  ) -> String {
    let words = words(on: machine, account: account, detail: detail, whose: whose, app: app)
    return "\(words.sentence) \(words.next)"
  }
}

extension ConditionListing {
  /// The sentence about the machine and the next step, with what people call the application.
  func sentences(app: ConditionKind.AppWords? = nil, whose: String = "") -> String? {
    ConditionKind.named(condition.name)?.sentences(
      on: isOwn ? "this machine" : "“\(deviceName.text)”", account: accountName ?? "", detail: condition.detail,
      whose: whose, app: app)
  }
}

extension Call {
  /// Returns the machines of a child, on a child's node its own, with what each has told.
  func toldMachines(of child: ChildID, _ household: Household) async throws -> [ToldMachine] {
    let (listings, lists) = (try await conditions(), try await store.inventories(MachineCondition.self))
    let installed = try await installed()
    let refused = try await store.inventories(RefusedProgram.self)
    let rules = household.rules(for: child)
    let name = household.title(of: child).text
    let whose = household.children.count > 1 && ShellWord.isPlain(name) ? "--child \(ShellWord.person(name))" : ""
    let behind = try await machinesWithEditsUnderWay()
    let machines = role == .child ? [(own, nil)] : household.machines(of: child).map { ($0.device, $0.name) }
    return machines.map { device, name in
      let accounts = household.accounts(of: child, on: device)
      let unlisted = (refused[device]?.entries ?? []).filter {
        accounts?.contains($0.account) != false && rules.isUnlisted($0)
      }
      return ToldMachine(
        device: device, conditions: listings.filter { $0.deviceID == device }, accounts: accounts,
        words: name?.quoted ?? "this machine", name: name, whose: whose, isBehind: behind.contains(device),
        isWhole: lists[device].map { $0.more == 0 } ?? true,
        installed: Set((installed[device]?.entries ?? []).map(\.appID)), refused: Set(unlisted.compactMap(\.app)))
    }
  }
}

extension Endpoints {
  package static let getConditions = Endpoint(
    .get, "/v1/conditions", browsers: .look,
    summary:
      "What weakens the rules on children's machines, such as an account that may become root; on a child its own."
  ) { call in try await call.conditions() }
}

extension Call {
  func conditions() async throws -> [ConditionListing] {
    let household = try await household()
    let known = try await store.inventories(MachineCondition.self)
    let isOfApps = known.values.contains { $0.entries.contains(where: \.isOfApplication) }
    let terms = isOfApps ? try await appTerms(household) : RuleTerms()
    if role == .child {
      let accounts = try await accounts(on: nil).map(\.account)
      return (known[own]?.entries ?? []).map { listing($0, of: own, context.name, accounts, terms, household) }
    }
    let heard = Dictionary(
      try await listed().map { ($0.device.deviceID, $0.device.lastSeenAt) }, uniquingKeysWith: { first, _ in first })
    return household.machines.flatMap { machine in
      (known[machine.device]?.entries ?? []).map { condition in
        var listing = listing(condition, of: machine.device, machine.name, machine.accounts, terms, household)
        listing.heardAt = heard[machine.device] ?? nil
        return listing
      }
    }
  }

  private func listing(
    _ condition: MachineCondition, of device: DeviceID, _ name: DeviceName, _ accounts: [Account], _ terms: RuleTerms,
    _ household: Household
  ) -> ConditionListing {
    let sharers = condition.account.map { household.sharers(of: $0, on: device) } ?? []
    let isOfPINs = condition.name == "pin-missing"
    return ConditionListing(
      deviceID: device, deviceName: name, isOwn: device == own, condition: condition,
      accountName: condition.account.map { account in
        accounts.first { $0.uid == account }?.name ?? String(account)
      }, app: terms.told(condition),
      children: sharers.filter { isOfPINs && household.rules(for: $0).pin == nil }.map { household.title(of: $0) })
  }
}
