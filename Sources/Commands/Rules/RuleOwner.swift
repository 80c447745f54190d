import ArgumentParser
import LatchkeyModel
import LatchkeyNode
import LatchkeyRules

enum RuleOwner: Hashable, Sendable {
  /// A child by name, or the only child. With `isOption`, a person can give `--family` instead.
  case child(String?, isOption: Bool = false)
  case family

  func rules(at node: any NodeInterface) async throws(LocalAPIError) -> OwnedRules {
    switch self {
    case .child(let child, _):
      do { return OwnedRules(try await node.ask(Endpoints.getRules, child)) } catch { throw named(error) }
    case .family: return OwnedRules(child: nil, rules: try await node.ask(Endpoints.getSettings).rules, family: [])
    }
  }

  /// Returns the rules of the owner, or of each child and of the family if no child is named.
  func all(at node: any NodeInterface) async throws(LocalAPIError) -> [OwnedRules] {
    guard case .child(nil, _) = self else { return [try await rules(at: node)] }
    let children = try await node.ask(Endpoints.getChildren)
    guard children.count > 1 else { return [try await rules(at: node)] }
    var all: [OwnedRules] = []
    for child in children {
      var rules = OwnedRules(try await node.ask(Endpoints.getRules, child.childID.description))
      // The family's are listed once.
      rules.family = []
      all.append(rules)
    }
    return all + [try await RuleOwner.family.rules(at: node)]
  }

  func set(_ request: RuleRequest, at node: any NodeInterface) async throws(LocalAPIError) -> OwnedEdit {
    switch self {
    case .child(let child, _):
      do { return OwnedEdit(try await node.ask(Endpoints.setRules, (child, request))) } catch { throw named(error) }
    case .family: return OwnedEdit(try await node.ask(Endpoints.setSettings, request))
    }
  }

  private func named(_ error: LocalAPIError) -> LocalAPIError {
    guard error.code == .ambiguousChild, self == .child(nil, isOption: true) else { return error }
    // The program adds the command with `--child`.
    return LocalAPIError(error.code, error.message + " --family is for all of them.")
  }
}

struct OwnedEdit {
  var answer: any Encodable
  var rules: OwnedRules
  var commands: [ConfigurationCommand]
  var machines: [EditedMachine]
  /// The applications that were put into a group.
  var members: [EditedApp]
  /// The applications that were taken out of the group.
  var former: [EditedApp]
  var absent: [RegisterKey]

  init(_ edit: RuleEdit) {
    answer = edit
    former = edit.formerMembers ?? []
    rules = OwnedRules(edit.rules, app: edit.app, members: edit.members)
    (commands, machines, members, absent) = (edit.commands, edit.machines, edit.members, edit.absent)
  }

  init(_ edit: FamilyEdit) {
    answer = edit
    former = edit.formerMembers ?? []
    rules = OwnedRules(child: nil, rules: edit.rules.rules, family: [], app: edit.app, members: edit.members)
    (commands, machines, members, absent) = (edit.commands, edit.machines, edit.members, edit.absent)
  }
}

/// The rules of a child or of the whole family.
struct OwnedRules: Sendable {
  /// `nil` for the whole family.
  var child: ChildListing?
  /// The rules that are set for the owner.
  var rules: [RuleListing]
  /// For a child, the rules of the whole family that hold for the child as well.
  var family: [RuleListing]
  /// The application that was named, whose name holds if the owner has given none.
  var app: EditedApp?
  /// The applications that were put into a group; their names hold in the same way.
  var members: [EditedApp] = []

  /// The owner, as the subject of a sentence.
  var whom: String { child.map { ShownText.safe($0.name.text) } ?? "The family" }

  /// The owner, in the middle of a sentence.
  var whomLowercased: String { child == nil ? "the family" : whom }

  /// The option that names the owner in a command; empty for a child whose name cannot stand there.
  var option: String {
    guard let child else { return "--family" }
    return ShellWord.isPlain(child.name.text) ? "--child \(ShellWord.person(child.name.text))" : ""
  }

  func own(_ key: String) -> String? { rules.first { $0.key.text == key }?.value }

  var lock: Lock { own(ChildRule.lock.key.text).flatMap { try? ChildRule.lock.read(given: $0) } ?? .off }

  /// Returns the value of the owner's own rule or, without one, of the family's.
  func inForce(_ key: String) -> String? {
    (rules + family).first { $0.key.text == key && $0.notInForce == nil }?.value
  }

  /// The family's zone and the names of applications, for the words of the rules.
  var terms: RuleTerms {
    var names: [AppID: String] = [:]
    for known in members + (app.map { [$0] } ?? []) { names[known.appID] = known.name }
    // A child's own name for an application holds over the family's.
    for rule in family + rules {
      if let key = RuleKey(rule.key), key.entry == AppRule.name.entry, let app = key.application {
        names[app] = rule.value
      }
    }
    return RuleTerms(zone: (rules + family).first { $0.key == "family/zone" }?.value, names: names, whose: option)
  }
}

extension OwnedRules {
  init(_ rules: ChildRules, app: EditedApp? = nil, members: [EditedApp] = []) {
    self.init(child: rules.child, rules: rules.rules, family: rules.family, app: app, members: members)
  }
}

struct RuleOwnerOptions: ParsableArguments {
  @Option(child: "The child; may be left out if there is only one.") var child: String?

  @Flag(help: "The rules of all children; what a child has of its own holds instead.") var family = false

  var owner: RuleOwner { family ? .family : .child(child, isOption: true) }

  mutating func validate() throws {
    if family, child != nil {
      throw ValidationError("A rule is one child's or the family's: give --child or --family.")
    }
  }
}

/// The options of a command that changes rules of an owner.
struct RuleChangeOptions: ParsableArguments {
  @OptionGroup var node: NodeOptions
  @OptionGroup var whose: RuleOwnerOptions
  @OptionGroup var options: RuleOptions

  func set(_ changes: [RuleRequest.Change], at node: any NodeInterface, isOneRemoval: Bool = false) async throws {
    try await set(RuleRequest(changes), at: node, isOneRemoval: isOneRemoval)
  }

  func set(_ request: RuleRequest, at node: any NodeInterface, isOneRemoval: Bool = false) async throws {
    try await RuleIssue.set(request, of: whose.owner, at: node, options: options, isOneRemoval: isOneRemoval)
  }
}

/// Commands for rules that each child has alone, which do not take `--family`.
enum EachChild {
  /// Returns whether a word in the place of a name means every child.
  static func isMeant(_ word: String?) -> Bool {
    word.map { ["all", "both", "everybody", "everyone"].contains($0.lowercased()) } ?? false
  }

  /// Returns the failure of a command for every child, with the command for each child.
  static func failure(
    _ what: String, _ command: String, _ rest: String = "", at node: any NodeInterface
  ) async throws -> TerminalFailure {
    let names = try await node.ask(Endpoints.getChildren).map { ShellWord.person($0.name.text) }.sorted()
    let commands = names.map { "`latchkey \(command) \($0)\(rest)`" }
    return TerminalFailure(
      .usage,
      commands.isEmpty
        ? "\(what), and there is no child yet: `latchkey children add Emma` adds one."
        : "\(what), so that each is named: type \(ShownText.list(commands)).")
  }
}
