import ArgumentParser
import Foundation
import LatchkeyModel
import LatchkeyNode
import LatchkeyRules

struct RulesSubcommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "rules", abstract: "Show the rules of a child.",
    discussion: """
      The rules hold on every machine of the child's, and so do those of the whole family, which are shown below. Time that \
      a parent gave today by answering a request is shown with them.

      Programs are closed in the children's accounts where Latchkey is installed as a service, and otherwise in the account \
      that runs it.

      Example: latchkey rules Emma
      """)

  @OptionGroup var listing: ListingOptions
  @OptionGroup var whose: OnlyChildArgument

  func run() async throws {
    let environment = TerminalEnvironment.current
    let interface = try await listing.node.open()
    let rules: ChildRules
    do { rules = try await interface.ask(Endpoints.getRules, whose.child) } catch {
      guard error.code == .unknownChild, whose.child == nil else { throw error }
      return try await showFamily(at: interface)
    }
    if listing.format == .json { return try console.write(JSONText.pretty(rules)) }
    let zone = Self.zone(rules.rules + rules.family)
    let name = ShownText.safe(rules.child.name.text)
    let given = try await Self.given(to: rules.child, at: interface, zone: zone)
    var empty = ""
    if rules.rules.isEmpty {
      let isParent = try await interface.ask(Endpoints.getStatus).role == .parent
      let child = ShellWord.isPlain(rules.child.name.text) ? " --child \"\(name)\"" : ""
      empty = "No rules are set for \(name) yet" + (isParent ? ": try `latchkey limit set\(child) --daily 2h`." : ".")
    }
    if OwnedRules(rules).lock.holds(at: environment.now()), let lock = rules.rules.first(where: { $0.key == "lock" }) {
      try console.say("\(name) is \(lock.words).")
    }
    try console.write(Self.table(rules.rules, given: given, defaults: rules.defaults, zone: zone, empty: empty))
    if !rules.family.isEmpty {
      try console.write("\nFor the whole family:\n" + Self.table(rules.family, zone: zone, empty: ""))
    }
    for sentence in Self.notes(rules.rules + rules.family) { console.note(sentence) }
    for sentence in [ChildText.untold(rules.child), ChildText.elsewhere(rules.child)].compactMap(\.self)
      + ChildText.disagreements(rules.child)
    { console.note(sentence) }
    let conditions = try await interface.ask(Endpoints.getConditions)
    var terms = OwnedRules(rules).terms
    if conditions.contains(where: { $0.condition.isOfApplication }) {
      terms.names = await CommandTerms(at: interface, zone: zone).names.merging(terms.names) { $1 }
    }
    for sentence in Self.weakened(conditions, of: rules, terms) { console.note(sentence) }
  }

  /// Returns what keeps the rules of a child from being carried out on its machines, with one
  /// sentence for all applications that a machine does not recognize.
  private static func weakened(_ conditions: [ConditionListing], of rules: ChildRules, _ terms: RuleTerms) -> [String] {
    let set = rules.rules + rules.family
    let members = set.filter { RuleKey($0.key)?.entry == GroupRule.members.entry }.flatMap {
      $0.value.split(separator: "\n")
    }
    let apps = Set(
      members.map(String.init) + set.compactMap { RuleKey($0.key)?.application?.text }
        + rules.defaults.map(\.appID.text))
    let known = conditions.filter { listing in
      let (name, app) = (listing.condition.name, listing.condition.detail)
      guard rules.child.machines.contains(listing.deviceName) else { return false }
      // Rules of applications may be another child's.
      if name.hasPrefix("rule-") { return app.isEmpty || apps.contains(app) }
      return name == "own-programs-only" || ConditionKind.named(name)?.weight == .fault
    }
    var gathered: [[ConditionListing]] = []
    for name in ["rule-unrecognized", "rule-own-entry", "rule-own-file"] {
      let machines = Dictionary(grouping: known.filter { $0.condition.name == name }, by: \.deviceID)
      let several = machines.values.filter { $0.count > 1 }
      gathered += several.sorted { $0[0].deviceName.text < $1[0].deviceName.text }
    }
    let lists = gathered.map { Self.sentence($0, terms) }
    let others = known.filter { listing in !gathered.contains { $0.contains(listing) } }
    return others.flatMap { listing -> [String] in
      guard let kind = ConditionKind.named(listing.condition.name) else { return [] }
      let machine = listing.isOwn ? "this machine" : ShownText.quoted(listing.deviceName)
      let words = kind.words(
        on: machine, account: listing.accountName ?? "", detail: listing.condition.detail, whose: terms.whose,
        app: terms.words(for: listing.condition), children: listing.children.map(\.text), isHere: listing.isOwn)
      let isOfOneUser = listing.condition.name == "own-programs-only"
      return ["\(words.sentence) \(words.next)"].map(ShownText.safe) + (isOfOneUser ? leftOpen(rules, on: machine) : [])
    } + lists
  }

  /// Returns what the agent of one user leaves open although a child's rules close it.
  private static func leftOpen(_ rules: ChildRules, on machine: String) -> [String] {
    let programs = ScreenTimeRule.programs.key.registerKey
    let isListed = (rules.rules + rules.family).first { $0.key == programs }?.value == AllowedPrograms.listed.rawValue
    let closesAll = (rules.rules + rules.family).contains { rule in
      rule.key != programs && RuleKey(rule.key)?.entry.effects.contains(.everything) == true
    }
    let names = (closesAll ? ["others-left-open"] : []) + (isListed ? ["unlisted-left-open"] : [])
    return names.compactMap { ConditionKind.named($0)?.words(on: machine, account: "", detail: "").sentence }
  }

  /// Returns one sentence for several applications that a machine does not recognize by itself.
  private static func sentence(_ listings: [ConditionListing], _ terms: RuleTerms) -> String {
    let there = listings[0].isOwn ? "this machine" : ShownText.quoted(listings[0].deviceName)
    let names = listings.map { ShownText.safe(terms.words(for: $0.condition)?.name ?? $0.condition.detail) }.sorted()
      .joined(separator: ", ")
    guard listings[0].condition.name == "rule-unrecognized" else {
      return
        "On \(there), only the child's own account says which programs these are: \(names). So their rules can block or limit "
        + "them, and cannot allow them: `latchkey apps refused` lists what is closed, with the command that allows it."
    }
    return "Nothing on \(there) is recognized as these, so their rules close nothing: \(names). Install them "
      + (listings[0].isOwn ? "here" : "there") + ", or say how to recognize each: `latchkey app set --help` shows how."
  }

  private func showFamily(at node: any NodeInterface) async throws {
    let family = try await node.ask(Endpoints.getSettings)
    if listing.format == .json { return try console.write(JSONText.pretty(family)) }
    let isParent = try await node.ask(Endpoints.getStatus).role == .parent
    try console.say(
      isParent
        ? "There is no child yet: `latchkey children add Emma` adds one."
        : "No parent has said whose machine this is yet: run `latchkey pair` here and on a parent's machine.")
    if family.rules.isEmpty { return }
    try console.write("\nFor the whole family:\n" + Self.table(family.rules, zone: Self.zone(family.rules), empty: ""))
    for sentence in Self.notes(family.rules) { console.note(sentence) }
  }

  /// Returns the family's zone or, if it is not set, this machine's.
  private static func zone(_ rules: [RuleListing]) -> TimeZone {
    rules.first { $0.key == "family/zone" }.map { TimeText.zone($0.value) } ?? TerminalEnvironment.current.timeZone
  }

  private static func table(
    _ rules: [RuleListing], given: [[String]] = [], defaults: [DefaultListing] = [], zone: TimeZone, empty: String
  ) -> String {
    TableText.render(
      ["Rule", "Value", "Set by", "When"], spare: [3, 2], wrap: [0, 1],
      rows: RuleRow.rows(rules).map { row in
        // What a machine sets by itself when a household begins has no time.
        let time = row.rule.setAt > 0 ? TimeText.short(row.rule.setAt, zone: zone) : "–"
        return [row.name, row.rule.words, ShownText.safe(row.rule.setBy.text), time]
      } + given
        + defaults.map { app in
          ["\(ShownText.safe(app.displayName)): category", app.category.rawValue, "by default", "–"]
        }, empty: empty)
  }

  /// Returns the rows of the time that parents gave a child today by answering requests.
  private static func given(to child: ChildListing, at node: any NodeInterface, zone: TimeZone) async throws
    -> [[String]]
  {
    let requests = try await node.ask(Endpoints.getRequests, child.childID.description).filter {
      $0.state == .approved && $0.minutes != nil
    }
    return requests.compactMap { request in
      guard let answer = request.answer else { return nil }
      return [
        "today: more, as asked", RequestText.wish(request, minutes: answer.minutes), ShownText.safe(answer.by.text),
        TimeText.short(answer.at, zone: zone),
      ]
    }
  }

  /// Returns sentences about rules that are not in force, or not on every machine.
  static func notes(_ rules: [RuleListing]) -> [String] {
    let notes = rules.compactMap { rule in
      rule.notInForce.map { "“\(ShownText.safe(rule.name))” is not in force. \(ShownText.safe($0))" }
    }
    let missing = Dictionary(grouping: rules.filter { !$0.missing.isEmpty }) {
      [$0.setBy.text] + $0.missing.map(\.text)
    }
    return notes
      + missing.sorted { $0.key.lexicographicallyPrecedes($1.key) }.map { names, rules in
        let rule = ShownText.list(rules.map { "“\(ShownText.safe($0.name))”" })
        let machines = ShownText.list(names.dropFirst().map { ShownText.safe($0) })
        let (verb, one) = names.count == 2 ? ("is", "has") : ("are", "have")
        return "\(rule), set on \(ShownText.safe(names[0])): not on \(machines), which \(verb) not paired with "
          + "\(ShownText.safe(names[0])) or \(one) not told of it yet. Setting it here as well brings it there."
      }
  }
}

/// A row of the table of rules: a rule, or equal limits of weekdays that were set at once.
private struct RuleRow {
  var rule: RuleListing
  var keys: [RegisterKey]

  var name: String { keys.count > 1 ? WeekdayRun(keys)?.name(terms) ?? rule.name : rule.name }

  /// The name of the limited application, as the node has it.
  private var terms: RuleTerms {
    let name = rule.name.range(of: ": ", options: .backwards).map { String(rule.name[..<$0.lowerBound]) }
    guard let name, let app = RuleKey(rule.key)?.application else { return RuleTerms() }
    return RuleTerms(names: [app: name])
  }

  static func rows(_ rules: [RuleListing]) -> [RuleRow] {
    var rows: [RuleRow] = []
    for rule in rules {
      let index = rows.firstIndex { row in
        row.rule.value == rule.value && row.rule.setBy == rule.setBy && row.rule.setAt == rule.setAt
          && row.rule.notInForce == rule.notInForce && WeekdayRun(row.keys + [rule.key]) != nil
      }
      if let index {
        rows[index].keys.append(rule.key)
      } else {
        rows.append(RuleRow(rule: rule, keys: [rule.key]))
      }
    }
    return rows
  }
}

/// How a change of rules is answered.
struct RuleOptions: ParsableArguments {
  @Option(wait: "Wait until every machine of the child has the change, at most this long.") var wait: WaitingTime?

  @Option(help: .value("text|json", "Write the rules as JSON.")) var format: AnswerFormat = .text
}
