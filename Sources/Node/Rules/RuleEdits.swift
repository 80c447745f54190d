import LatchkeyHousehold
import LatchkeyModel
import LatchkeyRules
import LatchkeyStore

/// The groups of applications that people name.
///
/// Spec: Protocol/11-rules.md §2.
extension Call {
  func groups(of child: ChildID?) async throws -> [GroupName] {
    let keys = try await household().rules(of: child).filter { $0.value != nil }.compactMap { RuleKey($0.key) }
    return Set(keys.filter { $0.entry == GroupRule.members.entry }.compactMap(\.group)).sorted()
  }

  /// Returns the applications of a group as a request sets them; none if they stay as they are.
  ///
  /// A child's group that is the family's so far becomes the child's own with the first application
  /// that is added to it or taken out of it in the child's `zone`. It throws for a group that is
  /// not there, or under another spelling, and for what is no application.
  func members(
    of group: String, _ request: RuleRequest, of child: ChildID?, in zone: Zone
  ) async throws -> GroupMembers {
    let groups = try await groups(of: child)
    let change = request.memberEdit
    try Self.check(group, among: groups, request)
    guard let named = request.members else { return GroupMembers() }
    let known = try await knownApps(of: child)
    let place = RuleRequest([.init(GroupRule.members.end, nil)], group: group).ofGroup([]).changes[0]
    let held = try await household().rules(of: child).filter { $0.key.text == place.key && $0.value != nil }
    let own = held.first { $0.zone == zone }?.value
    let present = Set((own ?? held.first?.value ?? "").split(separator: "\n").compactMap { AppID(String($0)) })
    let members: Set<AppID>
    switch change {
    case nil: members = try known.members(named, of: group, among: groups, isNew: request.isNew == true)
    case .add:
      members = try known.members(named, of: group, among: groups, isNew: request.isNew == true).union(present)
      guard members.count <= 256 else {
        throw LocalAPIError(.invalid, "A group has at most 256 applications: nothing was added.")
      }
    case .remove: members = present.subtracting(try known.former(named, of: group, present))
    }
    return GroupMembers(
      members: members.sorted().map(known.edited),
      former: present.isSubset(of: members) ? nil : present.subtracting(members).sorted().map(known.edited),
      seen: change == nil ? nil : .init(place.key, own))
  }

  /// Throws for a group that is not there and is not made, or is there under another spelling.
  private static func check(_ group: String, among groups: [GroupName], _ request: RuleRequest) throws(LocalAPIError) {
    if groups.contains(where: { $0.text == group }) { return }
    if let other = groups.first(where: { $0.text.lowercased() == group.lowercased() }) {
      throw LocalAPIError(
        .invalid, phrase: "There is a group “{group}”: write its name so, or choose another one.",
        ["group": .text(other.text)])
    }
    if request.members != nil, request.memberEdit == nil { return }
    let question = Spelling.question(for: group, among: groups.map(\.text)) { PrintableText.of($0) }
    if let members = request.members, request.memberEdit == .add {
      let words = ([group] + members).map(ShellWord.person).joined(separator: " ")
      throw LocalAPIError(
        .unknownItem,
        "There is no group “\(PrintableText.of(group))” yet\(question.isEmpty ? ":" : ". \(question) Otherwise") "
          + "`latchkey apps group set \(words)` makes it.")
    }
    throw LocalAPIError(
      .unknownItem,
      "There is no group “\(PrintableText.of(group))” yet\(question.isEmpty ? ":" : ". \(question) Otherwise") name the "
        + "applications that are to be in it, or look at `latchkey apps group` for its name.")
  }
}

extension KnownApps {
  fileprivate func members(
    _ members: [String], of group: String, among groups: [GroupName], isNew: Bool
  ) throws(LocalAPIError) -> Set<AppID> {
    if !groups.contains(where: { $0.text == group }), (try? match(group, isWhole: true)) != nil {
      throw LocalAPIError(
        .invalid,
        phrase: "“{name}” is an application: give the group a name of its own, such as Games, before the applications.",
        ["name": .text(PrintableText.of(group))])
    }
    var chosen: Set<AppID> = []
    for member in members {
      guard member != group, !groups.contains(where: { $0.text == member }) else {
        throw LocalAPIError(
          .invalid, phrase: "“{name}” is a group: name the applications that are in it.",
          ["name": .text(PrintableText.of(member))])
      }
      chosen.insert(try choose(member, isNew: isNew))
    }
    return chosen
  }

  /// Returns the applications that a person takes out of a group.
  ///
  /// It throws for one that is not in it, and if none would be left.
  fileprivate func former(
    _ named: [String], of group: String, _ present: Set<AppID>
  ) throws(LocalAPIError) -> Set<AppID> {
    var former: Set<AppID> = []
    for text in named {
      var app = AppID(text).flatMap { present.contains($0) ? $0 : nil }
      if app == nil { app = try match(text) }
      guard let app, present.contains(app) else {
        let names = present.map { edited($0).name }.sorted()
        throw LocalAPIError(
          .unknownItem, phrase: "“{name}” is not in the group {group}, which has {names}.",
          ["name": .text(PrintableText.of(text)), "group": .text(group), "names": .list(names.map { .text($0) })])
      }
      former.insert(app)
    }
    guard former != present else {
      throw LocalAPIError(
        .invalid,
        phrase:
          "A group has at least one application: `latchkey apps group remove {group}` removes the group with its rules.",
        ["group": .text(group)])
    }
    return former
  }
}

/// The applications of a group as an edit sets them.
struct GroupMembers {
  /// Those that are in it from now on, in the order of their IDs; none if they stay as they are.
  var members: [EditedApp] = []
  var former: [EditedApp]?
  /// The rule from which the edit was made, which it replaces only as it was.
  var seen: RuleRequest.Change?
}

public struct RuleEdit: Hashable, Sendable, Codable {
  public var rules: ChildRules
  /// The commands that carry the edit, one or more for each of the child's machines.
  public var commands: [ConfigurationCommand]
  public var machines: [EditedMachine] = []
  public var app: EditedApp?
  /// The applications of the group that the request set, in the order of their IDs.
  public var members: [EditedApp] = []
  /// The applications that the request took out of a group, in the order of their IDs.
  public var formerMembers: [EditedApp]?
  /// The keys of rules that were to be removed and were not set.
  public var absent: [RegisterKey] = []
  /// The minutes that were granted, or taken away if it is negative; `nil` for another edit.
  public var minutes: Int?
  /// `true` if a request with the same key was carried out before, so that this one did nothing.
  public var isRepeated: Bool?

  var shownToReceiver: RuleEdit {
    var edit = self
    edit.rules.rules = rules.rules.filter { $0.key == "lock" }
    (edit.rules.family, edit.rules.defaults, edit.absent) = ([], [], [])
    return edit
  }
}

/// Rules of the family that were set, as `RuleEdit` tells of those of a child.
package struct FamilyEdit: Hashable, Sendable, Codable {
  package var rules: FamilyRules
  package var commands: [ConfigurationCommand]
  package var machines: [EditedMachine] = []
  package var app: EditedApp?
  package var members: [EditedApp] = []
  package var formerMembers: [EditedApp]?
  package var absent: [RegisterKey] = []
}

public struct EditedMachine: Hashable, Sendable, Codable {
  public var deviceID: DeviceID
  public var name: DeviceName
  public var isConnected: Bool
  /// A Boolean value that indicates whether it has not been connected since it was paired.
  public var isNew: Bool
  /// When it was last seen, in Unix milliseconds.
  public var lastSeenAt: Int64?
}

extension EditedMachine {
  package init(_ peer: PeerStatus) {
    self.init(
      deviceID: peer.device.deviceID, name: peer.device.name, isConnected: peer.isConnected,
      isNew: peer.marks.contains(.neverConnected), lastSeenAt: peer.device.lastSeenAt)
  }
}

public struct EditedApp: Hashable, Sendable, Codable {
  public enum Reset: String, Hashable, Sendable, Codable, CaseIterable {
    case removed
    /// It had no rules.
    case unset
    /// It had only rules of the family's, or of a child's if those of the family's were meant.
    case elsewhere
  }

  public var appID: AppID
  public var name: String
  /// A Boolean value that indicates whether a parent or a machine knows how it is recognized.
  public var isRecognized: Bool
  /// What became of its rules; `nil` if it was not reset.
  public var reset: Reset?
}

extension ConfigurationCommand {
  /// Returns whether the command brings any of some changes to its machine, and not only what the
  /// first edit of a family sets besides.
  func carries(_ changes: [RegisterChange]) -> Bool {
    guard let edit = payload.value as? Edit else { return true }
    return edit.registers.contains { register in
      changes.contains { $0.zone == register.zone && $0.key == register.key }
    }
  }
}

extension GrantScope {
  /// The command that sets a limit a day on what the scope is about.
  func limiting(_ child: String) -> String {
    let child = ShellWord.person(child)
    return switch self {
    case .all: "`latchkey limit set --child \(child) --daily 1h`"
    case .category(let category): "`latchkey limit set --child \(child) --category \(category.rawValue) --daily 1h`"
    case .app(let app): "`latchkey app set \(ShellWord.person(app.text)) --child \(child) --daily-limit 1h`"
    }
  }
}
