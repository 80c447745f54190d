import LatchkeyHousehold
import LatchkeyModel
import LatchkeyNode
import LatchkeyRules

enum RuleIssue {
  /// Sets and removes rules, and prints when the children's machines get them and, with `--wait`,
  /// the result on each machine; returns the application that the request named.
  ///
  /// With `isOneRemoval`, rules that were not set are only mentioned if none was.
  ///
  /// - Throws: `TerminalFailure` if only rules that are not set were to be removed.
  @discardableResult
  static func set(
    _ request: RuleRequest, of owner: RuleOwner, at node: any NodeInterface, options: RuleOptions,
    isOneRemoval: Bool = false
  ) async throws -> EditedApp? {
    let edit = try await owner.set(request, at: node)
    let changes = try made(request, edit, isOneRemoval)
    let left =
      edit.former.isEmpty
      ? [] : ["No longer in the group: \(ShownText.list(edit.former.map { ShownText.safe($0.name) }))."]
    var told = sentences(changes, edit.rules) + left + RuleCautions.sentences(changes, edit)
    if owner == .family, options.format != .json {
      told += try await DatedExceptions.childrens(instead: changes, at: node)
    }
    let count = changes.count { $0.value != nil }
    let then = count == 0 ? "that holds" : count == 1 ? "the rule holds" : "the rules hold"
    try await tell(edit, told, then: then, at: node, options: options)
    return edit.rules.app
  }

  /// Returns the changes that were made, with whole keys, and notes rules that could not be removed
  /// because they are not set.
  private static func made(
    _ request: RuleRequest, _ edit: OwnedEdit, _ isOneRemoval: Bool
  ) throws -> [RuleRequest.Change] {
    // The node has found out which applications are meant.
    let request = edit.rules.app.map { request.rules(of: $0.appID) } ?? request.ofGroup(edit.members.map(\.appID))
    var changes = request.changes
    let unset = changes.filter { change in edit.absent.contains { $0.text == change.key } }
    changes.removeAll { unset.contains($0) }
    // Nothing is wrong if a weekday has no limit of its own.
    let sentences = unset.filter { RegisterKey($0.key).flatMap { WeekdayRun([$0]) } == nil }
      .map { absent($0, edit.rules) }
    if changes.isEmpty {
      throw TerminalFailure(.unknownName, "Nothing was changed: " + sentences.joined(separator: " "))
    }
    if !isOneRemoval { for sentence in sentences { TerminalEnvironment.current.console.note(sentence) } }
    return changes
  }

  /// Returns a sentence about a rule that could not be removed because it is not set.
  private static func absent(_ change: RuleRequest.Change, _ present: OwnedRules) -> String {
    guard let key = RegisterKey(change.key) else { return "\(present.whom) has no such rule." }
    let sentence = "\(present.whom) has no rule “\(ShownText.safe(RuleText.named(key, present.terms)))”."
    guard let family = present.family.first(where: { $0.key == key }) else { return sentence }
    return sentence + " That of the whole family holds: \(ShownText.safe(family.words)). --family changes it."
  }

  private static func sentences(_ changes: [RuleRequest.Change], _ rules: OwnedRules) -> [String] {
    let whom = rules.child == nil ? "For the family" : rules.whom
    let exceptions = DatedExceptions(rules, without: Set(changes.filter { $0.value == nil }.map(\.key)))
    var sentences: [String] = []
    var weekdays: [(key: RegisterKey, value: String?)] = []
    for change in changes {
      guard let key = RegisterKey(change.key) else { continue }
      if let run = WeekdayRun([key]) {
        if change.value == nil, let family = rules.family.first(where: { $0.key == key }) {
          let sentence = "\(whom): no separate limit for \(run.name(rules.terms)). That of the whole family holds: "
          sentences.append(ShownText.safe(sentence + "\(family.words)."))
        } else {
          weekdays.append((key, change.value))
        }
        continue
      }
      let value = rules.rules.first { $0.key == key }?.value
      var sentence = "\(whom): \(RuleText.phrase(key, change.value == nil ? nil : value ?? change.value, rules.terms))."
      if change.value == nil, let family = familys(key, rules) {
        sentence = "\(whom): \(RuleText.childsRemoval(key, rules.terms)). That of the whole family holds: \(family)."
      }
      sentence = ShownText.safe(sentence)
      if change.value == nil, let rule = RuleKey(key),
        let held = exceptions.sentence(for: rule, whom, RuleText.name(key, rules.terms))
      {
        sentence = held
      }
      if !sentences.contains(sentence) { sentences.append(sentence) }
    }
    return sentences + RuleText.phrases(weekdays, rules.terms).map { ShownText.safe("\(whom): \($0).") }
  }

  /// Returns the family's rule in words, with its limits for weekdays; `nil` if it has none.
  private static func familys(_ key: RegisterKey, _ rules: OwnedRules) -> String? {
    let ofDays = rules.family.filter { WeekdayRun([$0.key]) != nil && $0.key.text.hasPrefix(key.text + "/") }
    let days = RuleText.phrases(ofDays.map { ($0.key, $0.value) }, rules.terms)
    let parts = rules.family.filter { $0.key == key }.map(\.words) + days
    return parts.isEmpty ? nil : parts.joined(separator: ", ")
  }

  /// Prints what an edit set, when the machines get it and, with `--wait`, the result on each
  /// machine; `then` says what happens as soon as there is a machine.
  static func tell(
    _ edit: OwnedEdit, _ sentences: [String], then: String = "the rule holds", at node: any NodeInterface,
    options: RuleOptions
  ) async throws {
    let console = TerminalEnvironment.current.console
    let (rules, commands) = (edit.rules, edit.commands)
    let machines = commands.map { command in edit.machines.first { $0.deviceID == command.target } }
    if options.format == .json {
      try console.write(JSONText.pretty(edit.answer))
    } else {
      for sentence in sentences { console.note(sentence) }
      // A sentence about machines that say they are the child's follows below.
      if commands.isEmpty, rules.child?.claimed.isEmpty != false {
        console.note(
          rules.child == nil
            ? "No child's machine is paired yet: \(then) once one is."
            : "\(rules.whom) has no machine yet: \(then) once one is paired.")
      }
      for sentence in CommandIssue.delivery(to: machines, isWaiting: options.wait != nil) { console.note(sentence) }
      if let sentence = rules.child.flatMap(ChildText.elsewhere) { console.note(sentence) }
      for sentence in rules.child.map(ChildText.disagreements) ?? [] { console.note(sentence) }
    }
    guard let time = options.wait else { return }
    let ended = try await CommandWaiter(node: node).wait(commands.map(\.commandID), seconds: time.seconds)
    var terms = rules.terms
    // The application of a receipt's command may share its name with another one.
    if ended.contains(where: { $0.stateInForce?.as(RegistersInForce.self)?.exceptions.isEmpty == false }) {
      terms.names = await CommandTerms(at: node).names.merging(terms.names) { $1 }
    }
    var failures: [TerminalFailure] = []
    for (command, machine) in zip(commands, machines) {
      do {
        let end = ended.first { $0.commandID == command.commandID }
        try CommandEnd.tell(
          end, id: commands.count == 1 ? "last" : command.commandID.description, machine: machine?.name,
          format: options.format == .json ? .json : .table, time: time,
          author: await CommandEnd.author(insteadOf: end, at: node), terms)
      } catch let failure as TerminalFailure { failures.append(failure) }
    }
    for sentence in failures.dropFirst().compactMap(\.sentence) { console.note(sentence) }
    if let failure = failures.first { throw failure }
  }
}

extension RuleRequest.Change {
  var rule: RuleKey? { RegisterKey(key).flatMap { RuleKey($0) } }
}
