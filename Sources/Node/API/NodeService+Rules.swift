import LatchkeyHousehold
import LatchkeyModel
import LatchkeyRules
import LatchkeyStore

/// The rules of a child.
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
    var changes = household.machines(of: child).flatMap { household.serving($0.device, child) }
    for change in request.changes { changes.append(try Self.change(change, of: child)) }
    let commands = try await edit(changes)
    return RuleEdit(rules: try await rules(of: child, try await self.household()), commands: commands)
  }

  private static func change(
    _ change: RuleRequest.Change, of child: ChildID
  ) throws(LocalAPIError) -> RegisterChange {
    guard let key = RegisterKey(change.key), let rule = RuleKey(key), rule.belongs(in: .child(child)), rule != .name
    else {
      throw LocalAPIError(
        .invalid,
        "There is no rule “\(DeviceName(sanitising: change.key))” for a child: update Latchkey, or correct it.")
    }
    guard let text = change.value else { return RegisterChange(.child(child), key, nil) }
    do {
      return RegisterChange(.child(child), key, try Rule(rule, typed: text).text)
    } catch { throw LocalAPIError(.invalid, error.sentence) }
  }

  private func rules(of child: ChildID, _ household: Household) async throws(LocalAPIError) -> ChildRules {
    let peers = try await stored { () async throws(StoreError) in try await context.store.peers() }
    var merged = household.registers
    for (device, map) in household.told where household.children(of: device).contains(child) {
      for register in map.registers(in: .child(child)) { merged.merge(register) }
    }
    let registers = merged.registers(in: .child(child)).filter { $0.key != HouseholdKey.name }
    let faults = RuleSet.read(registers, child: child).notInForce
    let others = try await stored { () async throws(StoreError) in try await context.store.otherParents() }
    let parents = others.values.joined().map(\.parent)
    let rules = registers.compactMap { register -> RuleListing? in
      guard let value = register.value else { return nil }
      let author = register.modified.author
      let told = parents.first { $0.deviceID == author }?.name
      return RuleListing(
        key: register.key, value: value, name: RuleText.name(register.key),
        words: RuleText.value(register.key, value), setBy: told ?? name(author, peers), setAt: register.modified.wall,
        notInForce: faults.first { $0.key == register.key }?.reason)
    }
    return ChildRules(child: try await listing(of: child), rules: rules)
  }
}
