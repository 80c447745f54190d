import LatchkeyModel
import LatchkeyRules

/// The groups of applications that people name.
///
/// Spec: Protocol/11-rules.md §2.
extension Call {
  /// Returns the groups that hold for a child, or without one those of the family.
  func groups(of child: ChildID?) async throws -> [GroupName] {
    let keys = try await household().rules(of: child).filter { $0.value != nil }.compactMap { RuleKey($0.key) }
    return Set(keys.filter { $0.entry == GroupRule.members.entry }.compactMap(\.group)).sorted()
  }

  /// Returns the applications that a request puts into a group, in the order of their IDs; none if
  /// they stay as they are.
  ///
  /// - Throws: `LocalAPIError` for a group that is not there, or under another spelling, and for
  ///   what is no application.
  func members(of group: String, _ request: RuleRequest, of child: ChildID?) async throws -> [EditedApp] {
    let groups = try await groups(of: child)
    if !groups.contains(where: { $0.text == group }) {
      if let other = groups.first(where: { $0.text.lowercased() == group.lowercased() }) {
        throw LocalAPIError(.invalid, "There is a group “\(other.text)”: write its name so, or choose another one.")
      }
      guard request.members != nil else {
        throw LocalAPIError(
          .unknownItem,
          "There is no group “\(PrintableText.of(group))” yet: name the applications that are to be in it, or look at "
            + "`latchkey apps group` for its name.")
      }
    }
    guard let members = request.members else { return [] }
    let known = try await knownApps(of: child)
    let chosen = try members.map { member in
      if groups.contains(where: { $0.text == member }) || member == group {
        throw LocalAPIError(
          .invalid, "“\(PrintableText.of(member))” is a group: name the applications that are in it.")
      }
      return try known.choose(member, isNew: request.isNew == true)
    }
    return Set(chosen).sorted().map { known.edited($0) }
  }
}
