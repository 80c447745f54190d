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
    try Self.check(group, among: groups, isMade: request.members != nil)
    guard let members = request.members else { return [] }
    let known = try await knownApps(of: child)
    return try known.members(members, of: group, among: groups, isNew: request.isNew == true)
  }

  /// Throws an error for a group that is not there and is not made, or is there under another
  /// spelling.
  private static func check(_ group: String, among groups: [GroupName], isMade: Bool) throws(LocalAPIError) {
    if groups.contains(where: { $0.text == group }) { return }
    if let other = groups.first(where: { $0.text.lowercased() == group.lowercased() }) {
      throw LocalAPIError(
        .invalid,
        phrase: Phrase(
          "There is a group “{group}”: write its name so, or choose another one.", ["group": .text(other.text)]))
    }
    if isMade { return }
    let question = Spelling.question(for: group, among: groups.map(\.text)) { PrintableText.of($0) }
    throw LocalAPIError(
      .unknownItem,
      "There is no group “\(PrintableText.of(group))” yet\(question.isEmpty ? ":" : ". \(question) Otherwise") name the "
        + "applications that are to be in it, or look at `latchkey apps group` for its name.")
  }
}

extension KnownApps {
  /// Returns the applications that a person puts into a group, in the order of their IDs.
  fileprivate func members(
    _ members: [String], of group: String, among groups: [GroupName], isNew: Bool
  ) throws(LocalAPIError) -> [EditedApp] {
    if !groups.contains(where: { $0.text == group }), (try? match(group, isWhole: true)) != nil {
      throw LocalAPIError(
        .invalid,
        phrase: Phrase(
          "“{name}” is an application: give the group a name of its own, such as Games, before the applications.",
          ["name": .text(PrintableText.of(group))]))
    }
    var chosen: Set<AppID> = []
    for member in members {
      guard member != group, !groups.contains(where: { $0.text == member }) else {
        throw LocalAPIError(
          .invalid,
          phrase: Phrase(
            "“{name}” is a group: name the applications that are in it.", ["name": .text(PrintableText.of(member))]))
      }
      chosen.insert(try choose(member, isNew: isNew))
    }
    return chosen.sorted().map { edited($0) }
  }
}
