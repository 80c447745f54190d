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
      guard case .app(let id, _) = RuleKey(listing.key) else { continue }
      let isHidden = listings[id]?[listing.key] != nil && listing.notInForce != nil
      if !isHidden { listings[id, default: [:]][listing.key] = listing }
    }
    let names = try await installedNames(of: child, household)
    for id in names.keys where listings[id] == nil && rules.categoryByDefault(id) != nil { listings[id] = [:] }
    return listings.sorted { $0.key < $1.key }.map { id, listings in
      let app = rules.apps[id] ?? RuleSet.App()
      let byDefault = rules.categoryByDefault(id)
      let use = app.use ?? AppUse(category: byDefault ?? .neutral)
      return AppListing(
        appID: id, displayName: app.name ?? names[id] ?? id.text, category: app.use?.category ?? byDefault,
        isByDefault: byDefault != nil, ownMilliPointsPerMinute: use.milliPointsPerMinute,
        milliPointsPerMinute: rules.perMinute(use),
        isEnabled: app.isEnabled, isBlocked: app.isBlocked, isAlwaysAllowed: app.isAlwaysAllowed,
        limit: app.limit?.text, matchers: app.matchers, rules: listings.sorted { $0.key < $1.key }.map(\.value))
    }
  }
}
