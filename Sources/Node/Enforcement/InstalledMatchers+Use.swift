import LatchkeyModel
import LatchkeyRules

extension InstalledMatchers {
  /// Returns the matchers as far as they are used for an application.
  ///
  /// What an account says of its own may be any program that the child has named so. It may be
  /// closed, charged for, or counted for limits that no other program has. It opens nothing:
  /// neither what is always allowed, nor learning, nor a program that would be closed or charged
  /// for as an unknown one.
  ///
  /// Spec: Protocol/10-household.md §5.
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
  /// Returns whether an application or a group that it is in has a limit or hours.
  fileprivate func limitsOrTimes(_ id: AppID) -> Bool {
    guard apps[id]?.isEnabled != false else { return false }
    let app = app(id)
    return app.limit != nil || app.hours != nil
      || groups(of: id).contains { $0.group.limit != nil || $0.group.weekly != nil || $0.group.hours != nil }
  }
}
