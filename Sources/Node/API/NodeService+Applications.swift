import LatchkeyHousehold
import LatchkeyModel
import LatchkeyRules
import LatchkeyStore

/// The applications that have rules, or a category by default.
///
/// Spec: Protocol/11-rules.md §1, §2.
extension NodeService {
  /// Returns the applications that have rules, or that are installed and have a category by default, for each child.
  public func apps(ofChild text: String?) async throws(LocalAPIError) -> [ChildApps] {
    let household = try await household()
    let peers = try await stored { () async throws(StoreError) in try await context.store.peers() }
    let wanted = try text.map { text throws(LocalAPIError) in try Self.find(text, in: household) }
    let children = try await children().filter { wanted == nil || $0.childID == wanted }
    guard !children.isEmpty else { return [ChildApps(child: nil, apps: try await apps(of: nil, household, peers))] }
    var found: [ChildApps] = []
    for child in children {
      found.append(ChildApps(child: child, apps: try await apps(of: child.childID, household, peers)))
    }
    return found
  }

  private func apps(
    of child: ChildID?, _ household: Household, _ peers: [PeerRecord]
  ) async throws(LocalAPIError) -> [AppListing] {
    let registers = household.rules(of: child)
    let rules = RuleSet.read(registers, child: child).rules
    var listings: [AppID: [RegisterKey: RuleListing]] = [:]
    // The family's come first, and the child's take their places.
    for listing in try await self.listings(registers, of: child, household, peers) {
      guard let id = RuleKey(listing.key)?.application else { continue }
      let isHidden = listings[id]?[listing.key] != nil && listing.notInForce != nil
      guard !isHidden else { continue }
      listings[id, default: [:]][listing.key] = listing
      guard !listing.isFamilys, RuleKey(listing.key) == .app(id, .limit) else { continue }
      // The child's limit of every day holds instead of the family's of each weekday.
      listings[id] = listings[id]?.filter { key, rule in
        if rule.isFamilys, case .weekday = RuleKey(key) { false } else { true }
      }
    }
    let names = try await installedNames(of: child, household)
    for id in names.keys where listings[id] == nil && rules.categoryByDefault(id) != nil { listings[id] = [:] }
    return listings.sorted { $0.key < $1.key }.map { id, listings in
      let app = rules.apps[id] ?? RuleSet.App()
      let byDefault = rules.categoryByDefault(id)
      let use = AppUse(
        category: app.category ?? byDefault ?? .neutral, milliPointsPerMinute: app.milliPointsPerMinute)
      return AppListing(
        appID: id, displayName: app.name ?? names[id] ?? id.text, category: app.category ?? byDefault,
        isByDefault: byDefault != nil, ownMilliPointsPerMinute: use.milliPointsPerMinute,
        milliPointsPerMinute: rules.perMinute(use),
        isEnabled: app.isEnabled, isBlocked: app.isBlocked, isAlwaysAllowed: app.isAlwaysAllowed,
        limit: app.limit?.text, matchers: app.matchers, rules: listings.sorted { $0.key < $1.key }.map(\.value))
    }
  }
}
