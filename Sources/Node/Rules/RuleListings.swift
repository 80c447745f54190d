import LatchkeyHousehold
import LatchkeyModel
import LatchkeyRules

/// What is set for children and for the family, as people read it.
///
/// Spec: Protocol/11-rules.md §1.
extension Call {
  func rules(of child: ChildID) async throws -> ChildRules {
    let household = try await household()
    let (days, now) = (boundary(household, of: child), context.wall())
    let rules = try await listings(household.rules(of: child), of: child, household)
    func isOver(_ rule: RuleListing) -> Bool { RuleKey(rule.key)?.isOver(at: now, value: rule.value, days) == true }
    let own = rules.filter { rule in
      guard !rule.isFamilys, rule.key != HouseholdKey.name, rule.key != HouseholdKey.pin else { return false }
      return !isOver(rule)
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
        guard rule.isFamilys, !inForce.contains(rule.key), !isOver(rule) else { return false }
        // The child's limit of every day holds instead of the family's of each weekday.
        guard let key = RuleKey(rule.key), key.weekday != nil else { return true }
        return key.everyDay.registerKey.map { !inForce.contains($0) } ?? true
      },
      defaults: defaults.sorted { $0.appID < $1.appID })
  }

  func settings() async throws -> FamilyRules {
    let household = try await household()
    let untold = try await machinesWithEditsUnderWay()
    let registers = household.rules(of: nil)
    let (days, now) = (boundary(household), context.wall())
    return FamilyRules(
      settings: FamilySettings(RuleSet.read(registers, child: nil).rules),
      rules: try await listings(registers, of: nil, household).filter {
        RuleKey($0.key)?.isOver(at: now, value: $0.value, days) != true
      },
      untold: household.machines.filter { untold.contains($0.device) }.map(\.name))
  }

  /// Returns what registers set, with who set it; deleted ones are left out.
  func listings(_ registers: [Register], of child: ChildID?, _ household: Household) async throws -> [RuleListing] {
    let (rules, faults) = RuleSet.read(registers, child: child)
    let installed = try await installedNames(of: child, household)
    let names = installed.merging(rules.apps.compactMapValues(\.name)) { _, ruled in ruled }
    let terms = RuleTerms(zone: rules.zone, names: names)
    let peers = try await peers()
    let parents = try await otherParents().values.joined().map(\.parent)
    let reasons = Dictionary(faults.map { (RegisterMap.Place($0.zone, $0.key), $0.phrase) }) { first, _ in first }
    let machines = child.map { household.machines(of: $0) } ?? household.machines
    return registers.compactMap { register in
      guard let value = register.value else { return nil }
      let author = register.modified.author
      let told = parents.first { $0.deviceID == author }?.name
      let reason = reasons[.init(register.zone, register.key)]
      return RuleListing(
        key: register.key, value: value, name: RuleText.name(register.key, terms),
        words: RuleText.value(register.key, value, terms), setBy: told ?? name(author, peers),
        setAt: register.modified.wall, notInForce: reason?.worded(), isFamilys: register.zone == .family,
        missing: author == own ? [] : household.without(register, of: machines).map(\.name),
        phrase: RuleText.listed(register.key, value, terms), notInForcePhrase: reason)
    }
  }

  /// Returns the family's days, as a child's machines have them if a child is given; this machine's
  /// zone holds if none is set.
  func boundary(_ household: Household, of child: ChildID? = nil) -> DayBoundary {
    let registers = child.map { household.rules(of: $0) } ?? household.familyDays()
    var rules = RuleSet.read(registers, child: child).rules
    let isSet = registers.contains { $0.key == "family/zone" && $0.value != nil }
    if !isSet { rules.zone = LocalZone.name() }
    return rules.boundary
  }
}

public struct ChildRules: Hashable, Sendable, Codable {
  public var child: ChildListing
  /// The rules that are set for the child, in the order of their keys; exceptions for past days are
  /// left out, except for times that still go on.
  public var rules: [RuleListing]
  /// The rules of the whole family that hold for the child, in the order of their keys.
  public var family: [RuleListing] = []
  /// The applications on the child's machines with a default category, in the order of IDs.
  public var defaults: [DefaultListing] = []
}

/// The category of an application that no parent has set.
public struct DefaultListing: Hashable, Sendable, Codable {
  public var appID: AppID
  public var displayName: String
  public var category: AppCategory
}

public struct RuleListing: Hashable, Sendable, Codable {
  public var key: RegisterKey
  /// The value, in the form that is stored.
  public var value: String
  public var name: String
  public var words: String
  /// The machine on which it was set.
  public var setBy: DeviceName
  /// When it was set, in Unix milliseconds by that machine's clock.
  public var setAt: Int64
  /// The reason why the rule has no effect, in one sentence; `nil` if it has.
  public var notInForce: String?
  public var isFamilys: Bool = false
  /// On a parent's node, the machines that have not told that they hold a rule of another parent's.
  public var missing: [DeviceName] = []
  /// The name and the value as a phrase, of whose words a language may have its own.
  public var phrase: Phrase?
  public var notInForcePhrase: Phrase?
}

/// The rules of the whole family, as `GET /v1/settings` shows them.
package struct FamilyRules: Hashable, Sendable, Codable {
  /// The settings that hold, with the defaults of those that nobody has set.
  package var settings: FamilySettings
  /// The rules that are set for the family, in the order of their keys.
  package var rules: [RuleListing]
  /// On a parent's node, the machines that have not yet confirmed the last change.
  package var untold: [DeviceName]

  /// What holds, with the one rule about the family's zone, in which times are shown.
  var shownToChild: FamilyRules {
    FamilyRules(settings: settings, rules: rules.filter { $0.key == "family/zone" }, untold: [])
  }
}
