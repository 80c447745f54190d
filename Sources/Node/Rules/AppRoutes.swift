import LatchkeyModel
import LatchkeyRules

/// The applications of children with their rules, as people read them.
///
/// Spec: Protocol/07-local-api.md §4.
extension Call {
  /// Returns the applications that a person may mean: a child's, or those of all.
  func knownApps(of child: ChildID?) async throws -> KnownApps {
    KnownApps(
      try await apps(of: child).flatMap(\.apps), of: child, on: try await installedListings(nil),
      groups: try await groups(of: child))
  }

  /// Returns for each child the applications with rules, or installed with a default category.
  func apps(of wanted: ChildID?) async throws -> [ChildApps] {
    let household = try await household()
    let children = try await children(wanted)
    guard !children.isEmpty else { return [ChildApps(child: nil, apps: try await apps(of: nil, household))] }
    var found: [ChildApps] = []
    for child in children {
      found.append(ChildApps(child: child, apps: try await apps(of: child.childID, household)))
    }
    return found
  }

  private func apps(of child: ChildID?, _ household: Household) async throws -> [AppListing] {
    let registers = household.rules(of: child)
    let rules = RuleSet.read(registers, child: child).rules
    var listings: [AppID: [RegisterKey: RuleListing]] = [:]
    // The family's come first, and the child's take their places.
    for listing in try await self.listings(registers, of: child, household) {
      guard let id = RuleKey(listing.key)?.application else { continue }
      let isHidden = listings[id]?[listing.key] != nil && listing.notInForce != nil
      guard !isHidden else { continue }
      listings[id, default: [:]][listing.key] = listing
      guard !listing.isFamilys, RuleKey(listing.key) == AppRule.limit.key(of: id) else { continue }
      // The child's limit of every day holds instead of the family's of each weekday.
      listings[id] = listings[id]?.filter { key, rule in !rule.isFamilys || RuleKey(key)?.weekday == nil }
    }
    let names = try await installedNames(of: child, household)
    for id in rules.groups.values.flatMap(\.members) where listings[id] == nil { listings[id] = [:] }
    for id in names.keys where listings[id] == nil && rules.categoryByDefault(id) != nil { listings[id] = [:] }
    return listings.sorted { $0.key < $1.key }.map { id, listings in
      // What is set is shown also while it does not apply; the groups' rules only as far as they
      // do.
      let own = rules.apps[id] ?? RuleSet.App()
      let app = own.isEnabled ? rules.withGroups(own, id) : own
      let byDefault = rules.categoryByDefault(id)
      let use = AppUse(category: app.category ?? byDefault ?? .neutral, milliPointsPerMinute: app.milliPointsPerMinute)
      return AppListing(
        appID: id, displayName: app.name ?? names[id] ?? id.text, category: app.category ?? byDefault,
        isByDefault: byDefault != nil, ownMilliPointsPerMinute: own.milliPointsPerMinute,
        milliPointsPerMinute: rules.perMinute(use),
        isEnabled: app.isEnabled, isBlocked: app.isBlocked, isAlwaysAllowed: app.isAlwaysAllowed,
        limit: app.limit?.text, hours: app.hours?.text,
        groups: !own.isEnabled
          ? []
          : rules.groups(of: id).map { GroupListing(name: $0, limit: $1.limit?.text, hours: $1.hours?.text) },
        matchers: app.matchers, rules: listings.sorted { $0.key < $1.key }.map(\.value))
    }
  }
}

extension Endpoints {
  package static let getApps = Endpoint(
    .get, "/v1/apps", Query.text("child", "The child; all children if it is absent."),
    whoMay: .operatorsAndChild, browsers: .look, errors: [.unknownChild, .ambiguousChild],
    summary: "The applications with rules: what is in force for each child, the child's rules over the family's."
  ) { call, child in
    let apps = try await call.apps(of: call.childIfAny(child))
    return call.caller.child == nil ? apps : apps.map(\.shownToChild)
  }
}

package struct ChildApps: Hashable, Sendable, Codable {
  /// The child; `nil` for the whole family while it has no child.
  package var child: ChildListing?
  package var apps: [AppListing]

  /// The applications without what recognizes their processes, which a child could evade.
  fileprivate var shownToChild: ChildApps {
    var listing = self
    for index in listing.apps.indices {
      listing.apps[index].matchers = []
      listing.apps[index].rules = []
    }
    return listing
  }
}

/// What is in force for one application: for each rule the child's, or else the family's.
package struct AppListing: Hashable, Sendable, Codable {
  package var appID: AppID
  /// The name for people; the ID if none was given.
  package var displayName: String
  package var category: AppCategory?
  /// A Boolean value that indicates whether the category is a default, which no parent has set.
  package var isByDefault: Bool = false
  /// The rate of its own; `nil` for that of its category.
  package var ownMilliPointsPerMinute: Int64?
  /// The rate that holds.
  package var milliPointsPerMinute: Int64 = 0
  package var isEnabled: Bool = true
  package var isBlocked: Bool = false
  package var isAlwaysAllowed: Bool = false
  /// The limit a day, as its rule is written.
  package var limit: String?
  /// When it may be used, as its rule is written; `nil` for always.
  package var hours: String?
  /// The groups that it is in and whose rules hold for it.
  package var groups: [GroupListing] = []
  package var matchers: [AppMatcher] = []
  /// The rules that are set for it, in the order of their keys.
  package var rules: [RuleListing] = []
}

package struct GroupListing: Hashable, Sendable, Codable {
  package var name: GroupName
  /// The limit a day on all of them together, as its rule is written.
  package var limit: String?
  /// When they may be used, as its rule is written; `nil` for always.
  package var hours: String?
}
