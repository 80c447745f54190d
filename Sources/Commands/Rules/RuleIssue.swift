import LatchkeyHousehold
import LatchkeyModel

/// The setting of rules at the node, and what is said of it.
enum RuleIssue {
  /// Sets rules of a child, says when the child's machines get them and, with `--wait`, what became of that.
  static func set(
    _ changes: [RuleRequest.Change], of child: String?, at node: any NodeInterface, options: RuleOptions
  ) async throws {
    let name = if let child { child } else { try await node.rules(ofChild: nil).child.name.text }
    let edit = try await node.setRules(ofChild: name, RuleRequest(changes))
    let shown = ShownText.safe(edit.rules.child.name.text)
    try await tell(
      edit, edit.commands, sentences(changes, edit.rules.rules, of: shown),
      ofNobody: "\(shown) has no machine yet: the rule holds once one is paired.", at: node, options: options)
  }

  /// Sets rules of the whole family in the same way.
  static func set(_ changes: [RuleRequest.Change], at node: any NodeInterface, options: RuleOptions) async throws {
    let edit = try await node.setSettings(RuleRequest(changes))
    try await tell(
      edit, edit.commands, sentences(changes, edit.rules.rules, of: "For the family"),
      ofNobody: "No child's machine is paired yet: the rule holds once one is.", at: node, options: options)
  }

  private static func sentences(
    _ changes: [RuleRequest.Change], _ rules: [RuleListing], of whom: String
  ) -> [String] {
    changes.map { change in
      let rule = rules.first { $0.key.text == change.key }
      let words = rule.map { RuleText.phrase($0.key, $0.value) }
      return words.map { "\(whom): \(ShownText.safe($0))." } ?? "\(whom): that rule is removed."
    }
  }

  /// Says what an edit set, when the machines get it and, with `--wait`, what became of that on each.
  static func tell(
    _ edit: some Encodable, _ commands: [ConfigurationCommand], _ sentences: [String], ofNobody nobody: String,
    at node: any NodeInterface, options: RuleOptions
  ) async throws {
    let console = TerminalEnvironment.current.console
    if options.format == .json { try console.write(JSONText.pretty(edit)) }
    if options.format == .text {
      for sentence in sentences { console.note(sentence) }
      if commands.isEmpty { console.note(nobody) }
    }
    let peers = try await node.devices()
    for command in commands {
      let peer = peers.first { $0.device.deviceID == command.target }
      if options.format == .text { console.note(CommandIssue.delivery(to: peer, isWaiting: options.wait != nil)) }
    }
    guard let time = options.wait else { return }
    let begun = ContinuousClock.now
    var failures: [TerminalFailure] = []
    for command in commands {
      let id = command.commandID.description
      // All machines have the time together.
      let rest = Int64(time.seconds) - begun.duration(to: .now).components.seconds
      let ended = try await CommandWaiter(node: node).wait(id, seconds: Int(max(1, rest)))
      do {
        try CommandEnd.tell(
          ended, id: id, machine: peers.first { $0.device.deviceID == command.target }?.device.name,
          format: options.format == .json ? .json : .table, time: time)
      } catch let failure as TerminalFailure { failures.append(failure) }
    }
    for sentence in failures.dropFirst().compactMap(\.sentence) { console.note(sentence) }
    if let failure = failures.first { throw failure }
  }
}
