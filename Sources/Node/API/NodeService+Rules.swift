import LatchkeyAgent
import LatchkeyAgentProtocol
import LatchkeyCalendar
import LatchkeyHousehold
import LatchkeyModel
import LatchkeyRules
import LatchkeyStore

/// The rules of a child and of the whole family.
///
/// Spec: Protocol/11-rules.md §1, §2.
extension NodeService {
  /// Returns the rules of a child.
  public func rules(ofChild text: String?) async throws(LocalAPIError) -> ChildRules {
    let household = try await household()
    let child = try Self.child(text, in: household)
    return try await rules(of: child, household)
  }

  /// Sets rules of a child.
  public func setRules(ofChild text: String, _ request: RuleRequest) async throws(LocalAPIError) -> RuleEdit {
    try checkIsParent()
    let household = try await household()
    let child = try Self.find(text, in: household)
    let changes = try request.changes.map { change throws(LocalAPIError) in try Self.change(change, in: .child(child)) }
    return try await set(changes, of: child, household)
  }

  /// Grants a child more time for the rest of the family's day.
  public func grant(toChild text: String, _ request: GrantRequest) async throws(LocalAPIError) -> RuleEdit {
    try checkIsParent()
    let household = try await household()
    let child = try Self.find(text, in: household)
    let scope: GrantScope = request.app.map { .app($0) } ?? request.category.map { .category($0) } ?? .all
    let day = boundary(household, of: child).day(containing: context.wall())
    let key = RuleKey.today(day, .grant(context.nextCommandID(context.wall())))
    guard let place = key.registerKey else { throw LocalAPIError(.internal, "The grant got no key: give it again.") }
    let grant = Grant(minutes: request.minutes, scope: scope)
    return try await set([RegisterChange(.child(child), place, grant.text)], of: child, household)
  }

  /// Returns the rules of the family.
  public func settings() async throws(LocalAPIError) -> FamilyRules {
    let household = try await household()
    let peers = try await stored { () async throws(StoreError) in try await context.store.peers() }
    let untold = try await machinesWithEditsUnderWay()
    let registers = household.rules(of: nil)
    return FamilyRules(
      settings: FamilySettings(RuleSet.read(registers, child: nil).rules),
      rules: try await listings(registers, of: nil, household, peers),
      untold: household.machines.filter { untold.contains($0.device) }.map(\.name))
  }

  /// Sets rules of the whole family.
  public func setSettings(_ request: RuleRequest) async throws(LocalAPIError) -> FamilyEdit {
    try checkIsParent()
    let changes = try request.changes.map { change throws(LocalAPIError) in try Self.change(change, in: .family) }
    let commands = try await edit(changes)
    return FamilyEdit(rules: try await settings(), commands: commands)
  }

  /// Returns the family's days, as a child's machines have them if a child is given; without a zone of the family's, those of
  /// this machine's zone.
  func boundary(_ household: Household, of child: ChildID? = nil) -> DayBoundary {
    let registers = child.map { household.rules(of: $0) } ?? household.familyDays()
    var rules = RuleSet.read(registers, child: child).rules
    let isSet = registers.contains { $0.key == "family/zone" && $0.value != nil }
    if !isSet { rules.zone = LocalZone.name() }
    return rules.boundary
  }

  private func set(
    _ changes: [RegisterChange], of child: ChildID, _ household: Household
  ) async throws(LocalAPIError) -> RuleEdit {
    let commands = try await edit(changes)
    return RuleEdit(rules: try await rules(of: child, try await self.household()), commands: commands)
  }

  private static func change(
    _ change: RuleRequest.Change, in zone: Zone
  ) throws(LocalAPIError) -> RegisterChange {
    guard let key = RegisterKey(change.key), let rule = RuleKey(key), rule.belongs(in: zone), rule != .name else {
      throw LocalAPIError(
        .invalid,
        "There is no rule “\(DeviceName(sanitising: change.key))” for \(zone == .family ? "the family" : "a child"): update "
          + "Latchkey, or correct it.")
    }
    if rule.isOfMany { throw LocalAPIError(.invalid, RuleFault.manyPrograms.sentence) }
    guard let text = change.value else { return RegisterChange(zone, key, nil) }
    do {
      let read = try Rule(rule, typed: text)
      if case .app(let app, _) = rule, case .matchers(let matchers) = read.value { try check(matchers, of: app) }
      return RegisterChange(zone, key, read.text)
    } catch { throw LocalAPIError(.invalid, error.sentence) }
  }

  /// Refuses matchers that the agent on the child's machine would refuse.
  private static func check(_ matchers: [AppMatcher], of app: AppID) throws(RuleFault) {
    for matcher in matchers {
      guard let kind = MatcherCheck.fault(of: matcher) else { continue }
      throw RuleFault(OrderFault(kind, account: 0, app: app, detail: matcher.value).sentence)
    }
  }

  private func rules(of child: ChildID, _ household: Household) async throws(LocalAPIError) -> ChildRules {
    let peers = try await stored { () async throws(StoreError) in try await context.store.peers() }
    let today = boundary(household, of: child).day(containing: context.wall())
    let rules = try await listings(household.rules(of: child), of: child, household, peers)
    let own = rules.filter { rule in
      guard !rule.isFamilys, rule.key != HouseholdKey.name else { return false }
      // An exception for a day is over with it.
      if case .today(let day, _) = RuleKey(rule.key) { return day >= today }
      return true
    }
    let inForce = Set(own.filter { $0.notInForce == nil }.map(\.key))
    let set = household.rules(for: child)
    let defaults = try await installedNames(of: child, household).compactMap { id, name in
      set.categoryByDefault(id).map {
        DefaultListing(appID: id, displayName: set.apps[id]?.name ?? name, category: $0)
      }
    }
    return ChildRules(
      child: try await listing(of: child), rules: own,
      family: rules.filter { rule in
        guard rule.isFamilys, !inForce.contains(rule.key) else { return false }
        // The child's limit of every day holds instead of the family's of each weekday.
        guard case .weekday(let limit, _) = RuleKey(rule.key) else { return true }
        return limit.everyDay.registerKey.map { !inForce.contains($0) } ?? true
      },
      defaults: defaults.sorted { $0.appID < $1.appID })
  }

  /// Returns what registers set, with who set it; deleted ones are left out.
  func listings(
    _ registers: [Register], of child: ChildID?, _ household: Household, _ peers: [PeerRecord]
  ) async throws(LocalAPIError) -> [RuleListing] {
    let (rules, faults) = RuleSet.read(registers, child: child)
    let installed = try await installedNames(of: child, household)
    let names = installed.merging(rules.apps.compactMapValues(\.name)) { _, ruled in ruled }
    let terms = RuleTerms(zone: rules.zone, names: names)
    let others = try await stored { () async throws(StoreError) in try await context.store.otherParents() }
    let parents = others.values.joined().map(\.parent)
    let reasons = Dictionary(faults.map { (RegisterMap.Place($0.zone, $0.key), $0.reason) }) { first, _ in first }
    let machines = child.map { household.machines(of: $0) } ?? household.machines
    return registers.compactMap { register in
      guard let value = register.value else { return nil }
      let author = register.modified.author
      let told = parents.first { $0.deviceID == author }?.name
      return RuleListing(
        key: register.key, value: value, name: RuleText.name(register.key, terms),
        words: RuleText.value(register.key, value, terms), setBy: told ?? name(author, peers),
        setAt: register.modified.wall,
        notInForce: reasons[.init(register.zone, register.key)],
        isFamilys: register.zone == .family,
        missing: author == context.own ? [] : household.without(register, of: machines).map(\.name))
    }
  }
}
