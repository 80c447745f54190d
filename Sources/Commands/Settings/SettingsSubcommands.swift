import ArgumentParser
import Foundation
import LatchkeyModel
import LatchkeyNode
import LatchkeyRules

struct SettingsSubcommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "settings", abstract: "The rules of the whole family.", discussion: "Example: latchkey settings",
    subcommands: [SettingsShowSubcommand.self, SettingsSetSubcommand.self],
    defaultSubcommand: SettingsShowSubcommand.self)
}

struct SettingsShowSubcommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "show", abstract: "Show the family's rules as this machine has them.",
    discussion: "Example: latchkey settings show --format json")

  @OptionGroup var listing: ListingOptions

  func run() async throws {
    let interface = try await listing.node.open()
    let rules = try await interface.ask(Endpoints.getSettings)
    if listing.format == .json { return try console.write(JSONText.pretty(rules)) }
    try console.write(Self.page(RuleSet(rules.settings)))
    if let sentence = Self.setBy(rules.rules, zone: FamilyClock(rules).zone) { console.note(sentence) }
    if rules.rules.isEmpty { console.note(Self.defaults(try await interface.ask(Endpoints.getStatus))) }
    for sentence in RulesSubcommand.notes(rules.rules) { console.note(sentence) }
    if !rules.untold.isEmpty {
      let names = ShownText.list(rules.untold.map { ShownText.safe($0.text) })
      console.note("\(names) \(rules.untold.count == 1 ? "has" : "have") not confirmed the last change yet.")
    }
  }

  /// Returns a sentence on who set the rules, and when the last one was set.
  private static func setBy(_ rules: [RuleListing], zone: TimeZone) -> String? {
    // The zone that a machine set by itself has no time.
    guard let last = rules.filter({ $0.setAt > 0 }).max(by: { $0.setAt < $1.setAt }) else { return nil }
    let time = TimeText.short(last.setAt, zone: zone)
    let others = Set(rules.map(\.setBy)).subtracting([last.setBy]).sorted { $0.text < $1.text }.map(ShownText.quoted)
    return "Last set \(time) by \(ShownText.quoted(last.setBy))"
      + (others.isEmpty ? "." : "; others by \(others.joined(separator: " and ")).")
  }

  private static func defaults(_ status: NodeStatus) -> String {
    if status.role == .parent {
      return "Nobody has set these: they are the defaults. `latchkey settings set --help` shows how to change them."
    }
    let parents = status.peers.filter { $0.device.role == .parent }
    guard let parent = parents.first else {
      return "These are the defaults: no parent's machine is paired with this one yet. `latchkey pair` pairs one."
    }
    let name = parents.count == 1 ? ShownText.quoted(parent.device.name) : "a parent's machine"
    return "These are the defaults: they hold until \(name) sets others."
  }

  /// Returns each of the family's settings with its value, in the words of the table of rules.
  static func page(_ rules: RuleSet) -> String {
    let terms = RuleTerms(zone: rules.zone)
    return FieldsText.render(
      FamilySettings.members.compactMap { member in
        member.key.registerKey.map { (RuleText.name($0, terms), member.words(in: rules, terms)) }
      })
  }
}

/// An argument for a rule: a value, or `default` to go back to the default.
struct Setting: Hashable, Sendable {
  /// The value as the rule is written; `nil` removes the rule.
  let text: String?

  /// Returns a reader of arguments for a rule, which throws `ValidationError` in the rule's words.
  static func reading(_ key: RuleKey) -> @Sendable (String) throws -> Setting {
    { text in
      let isNumber = if case .number = key.entry.values { true } else { false }
      if text.lowercased() == "default" || isNumber && text.lowercased() == "none" { return Setting(text: nil) }
      return Setting(text: try ValidationError.from { () throws(RuleFault) in try key.entry.given(text) })
    }
  }

  /// Reads a time zone; throws `ValidationError` with one that a person may have meant.
  @Sendable static func zone(_ text: String) throws -> Setting {
    if ["default", "none"].contains(text.lowercased()) { return Setting(text: nil) }
    let known = TimeZone.knownTimeZoneIdentifiers
    if let exact = known.first(where: { $0.lowercased() == text.lowercased() }) { return Setting(text: exact) }
    if TimeZone(identifier: text) != nil, text.contains("/") || text == "UTC" { return Setting(text: text) }
    let question = Spelling.question(for: text, among: known)
    throw ValidationError(
      "There is no time zone “\(DeviceName(sanitising: text))”. "
        + (question.isEmpty ? "Give one such as Europe/Berlin." : question))
  }
}

extension Option where Value == Setting? {
  /// Creates an option for a rule whose values are words.
  init(word key: RuleKey, _ help: String, value: String, completion: CompletionKind? = nil) {
    self.init(help: .value(value, help), completion: completion, transform: Setting.reading(key))
  }

  /// Creates an option for a rule with an amount or a time, which a minus sign may precede.
  init(number key: RuleKey, _ help: String, value: String) {
    self.init(parsing: .unconditional, help: .value(value, help), transform: Setting.reading(key))
  }
}

extension ValidationError {
  /// Returns what a body returns; throws its fault as one of an argument.
  static func from<Value>(_ body: () throws(RuleFault) -> Value) throws -> Value {
    do { return try body() } catch { throw ValidationError(error.sentence) }
  }
}

extension RuleKind {
  /// Reads an argument; throws `ValidationError` in the rule's words.
  @Sendable func argument(_ text: String) throws -> Value {
    try ValidationError.from { () throws(RuleFault) in try read(given: text) }
  }
}
