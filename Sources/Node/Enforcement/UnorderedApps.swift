import LatchkeyModel
import LatchkeyRules
import LatchkeyStore

/// The applications with rules that orders recognize nothing as, by why.
struct UnorderedApps: Equatable {
  /// Those that nothing on the machine is recognized as.
  var unrecognized: Set<AppID> = []
  /// Those of which an account's own entry alone says what they are, where that does not count.
  var ofOwnEntries: Set<AppID> = []
  /// Those of `ofOwnEntries` whose programs are files in the account's home, and no scripts: they
  /// are closed wherever unknown programs are.
  var ofOwnFiles: Set<AppID> = []

  func subtracting(_ apps: Set<AppID>) -> UnorderedApps {
    UnorderedApps(
      unrecognized: unrecognized.subtracting(apps), ofOwnEntries: ofOwnEntries.subtracting(apps),
      ofOwnFiles: ofOwnFiles.subtracting(apps))
  }
}

extension NodeContext {
  /// Returns the applications with rules that orders recognize nothing as.
  ///
  /// No parent says how, none is recorded by `usage track` now, and the look at what is installed
  /// finds none, or only an account's own entry that does not count. Rules that are off do not
  /// matter.
  ///
  /// Spec: Protocol/10-household.md §5.
  func unorderedApps() async throws(StoreError) -> UnorderedApps {
    let household = try await readHousehold()
    let installed = try await store.installedMatchers()
    let running = Set(sessions.all.map(\.appID))
    return UnorderedApps(household.children(of: own).map { household.rules(for: $0) }, installed, running: running)
  }
}

extension UnorderedApps {
  /// Works them out for the rules of a machine's children.
  init(_ children: [RuleSet], _ installed: [AppID: InstalledMatchers], running: Set<AppID>) {
    var recognized = running
    for rules in children {
      for (id, app) in rules.apps where app.isEnabled {
        guard app.matchers.isEmpty else {
          recognized.insert(id)
          continue
        }
        let found = installed[id]
        if found?.used(for: id, in: rules).isEmpty == false {
          recognized.insert(id)
        } else if let found, !found.matchers.isEmpty {
          ofOwnEntries.insert(id)
          if found.matchers.allSatisfy({ $0.kind == .path }) { ofOwnFiles.insert(id) }
        } else {
          unrecognized.insert(id)
        }
      }
    }
    self = subtracting(recognized)
  }
}

extension InstalledMatchers {
  /// Returns the matchers that are used for an application.
  ///
  /// What an account says of its own may be any program that the child has named so. It may be
  /// closed, charged for, or counted for limits that no other program has. It opens nothing:
  /// neither what is always allowed, nor learning, nor a program that would be closed or charged
  /// for as an unknown one.
  func used(for id: AppID, in rules: RuleSet) -> [AppMatcher] {
    guard isOwn else { return matchers }
    let app = rules.app(id)
    if app.isBlocked { return matchers }
    guard !app.isAlwaysAllowed, rules.programs == .all else { return [] }
    return switch app.category ?? .neutral {
    case .reward: rules.unknownPrograms == .block ? [] : matchers
    case .neutral: rules.unknownPrograms == .count && rules.limitsOrTimes(id) ? matchers : []
    case .learning: []
    }
  }
}

extension RuleSet {
  fileprivate func limitsOrTimes(_ id: AppID) -> Bool {
    guard apps[id]?.isEnabled != false else { return false }
    let app = app(id)
    return app.limit != nil || app.hours != nil
      || groups(of: id).contains { $0.group.limit != nil || $0.group.weekly != nil || $0.group.hours != nil }
  }
}
