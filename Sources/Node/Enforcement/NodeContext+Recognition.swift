import LatchkeyHousehold
import LatchkeyModel
import LatchkeyRules
import LatchkeyStore

extension NodeContext {
  /// Returns the applications with rules of which nothing on this machine is recognized: neither a
  /// parent nor the look at what is installed says how, and none is recorded by `usage track` now.
  ///
  /// An application whose rules are off has none.
  ///
  /// Spec: Protocol/10-household.md §5.
  func unrecognizedApps() async throws(StoreError) -> Set<AppID> {
    let household = try await readHousehold()
    let installed = try await store.installedMatchers()
    var recognized = Set(sessions.all.map(\.appID))
    var unrecognized: Set<AppID> = []
    for child in household.children(of: own) {
      let rules = household.rules(for: child)
      for (id, app) in rules.apps where app.isEnabled {
        if installed[id]?.used(for: id, in: rules).isEmpty == false { recognized.insert(id) }
        if app.matchers.isEmpty { unrecognized.insert(id) } else { recognized.insert(id) }
      }
    }
    return unrecognized.subtracting(recognized)
  }
}
