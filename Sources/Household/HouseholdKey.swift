import LatchkeyModel
import LatchkeyRules

/// The keys of registers about children and machines, and the words for registers.
///
/// Spec: Protocol/10-household.md §1, §3.
public enum HouseholdKey {
  /// The key of the child's name in a child's zone.
  ///
  /// The name has the bounds of a device's name (01 §3).
  public static let name: RegisterKey = "name"
  /// The key of the stored form of the child's PIN in a child's zone.
  public static let pin: RegisterKey = "pin"
  public static let yes = "yes"
  /// The value of an account that belongs to no child and is not supervised.
  public static let nobody = AccountOwners.nobody

  /// Returns the key in a machine's zone whose value is `yes` if the machine serves the child.
  public static func child(_ id: ChildID) -> RegisterKey {
    guard let key = RegisterKey(["child", id.description]) else { preconditionFailure("a key of a child") }
    return key
  }

  /// Returns the key in a machine's zone of an account's owners, in the form of `AccountOwners`.
  public static func account(_ uid: UInt32) -> RegisterKey {
    guard let key = RegisterKey(["account", String(uid)]) else { preconditionFailure("a key of an account") }
    return key
  }

  /// Returns the key in a machine's zone of the owners of an account that the machine has not
  /// reported; `nil` for a log-in name that cannot be part of a key.
  public static func account(named name: String) -> RegisterKey? {
    TextRule.accountName.fault(in: name) == nil ? RegisterKey(["accountName", name]) : nil
  }

  /// Returns the log-in names of the accounts that a parent has assigned by name.
  public static func accountNames(in registers: [Register]) -> [String] {
    registers.compactMap { register in
      let segments = register.key.segments
      return segments.count == 2 && segments[0] == "accountName" && register.value != nil ? String(segments[1]) : nil
    }
  }

  /// Returns the children whom a machine serves, according to the registers of its zone.
  public static func children(servedIn registers: [Register]) -> [ChildID] { registers.servedChildren }

  /// Returns the owners of a machine's accounts, according to the registers of its zone.
  ///
  /// An account that is not supervised has no owner.
  ///
  /// `known` are the accounts that the machine has reported. They give the numbers of accounts that
  /// registers name by log-in name. If one register has the number and another the name of an
  /// account, the later one counts.
  public static func accounts(in registers: [Register], known: [Account]) -> [UInt32: [ChildID]] {
    var deciding: [UInt32: Register] = [:]
    for register in registers {
      let segments = register.key.segments
      guard segments.count == 2 else { continue }
      let uid =
        switch segments[0] {
        case "account": UInt32(segments[1])
        case "accountName": known.first { $0.name == segments[1] }?.uid
        default: nil as UInt32?
        }
      guard let uid else { continue }
      if let other = deciding[uid], other.modified > register.modified { continue }
      deciding[uid] = register
    }
    return deciding.compactMapValues { $0.value.flatMap { AccountOwners($0)?.children } }
  }

  /// Returns the meaning of registers for a sentence, with those about people first.
  public static func phrase(_ registers: [Register], _ terms: RuleTerms = RuleTerms()) -> String {
    let sorted = registers.sorted { rank($0) < rank($1) }
    let ofPeople = sorted.prefix { rank($0) < ruleRank }.map { phrase($0, terms) }
    var phrases: [String] = []
    for phrase in ofPeople where !phrases.contains(phrase) { phrases.append(phrase) }
    let rules = sorted.dropFirst(ofPeople.count)
    // If a child's rule is removed, the family's rule applies, if there is one. It is not known
    // here.
    let removed = rules.filter { register in
      guard register.value == nil, WeekdayRun([register.key]) == nil, case .child = register.zone else { return false }
      return RuleKey(register.key)?.belongs(in: .family) == true
    }
    phrases += RuleText.phrases(rules.filter { !removed.contains($0) }.map { ($0.key, $0.value) }, terms)
    phrases += removed.map { RuleText.childsRemoval($0.key, terms) }
    let more = phrases.count > shown ? ", and \(phrases.count - shown) more" : ""
    return phrases.prefix(shown).joined(separator: ", ") + more
  }

  /// Returns the meaning of one register as a phrase, such as "screen time a day – 2 h".
  public static func listed(_ register: Register, _ terms: RuleTerms = RuleTerms()) -> Phrase {
    guard rank(register) < ruleRank else { return RuleText.changes([(register.key, register.value)], terms)[0] }
    let last = register.key.segments.last.map(String.init) ?? ""
    let account = Phrase.Argument.text(UInt32(last).flatMap { terms.accounts[$0] } ?? last)
    func names(_ children: [ChildID]) -> Phrase.Argument {
      let names = children.compactMap { terms.children[$0] }
      if names.count == children.count, !names.isEmpty { return .list(names.map { .text($0) }) }
      return .phrase(children.count > 1 ? Phrase("the children") : Phrase("the child"))
    }
    let child = ["child": names(ChildID(last).map { [$0] } ?? [])]
    return switch (register.key.segments.first.map(String.init), register.value) {
    case ("child", yes): Phrase("the machine belongs to {child}", child)
    case ("child", _): Phrase("the machine no longer belongs to {child}", child)
    case ("account", nobody), ("accountName", nobody):
      Phrase("account {account} is not supervised", ["account": account])
    case ("account", nil), ("accountName", nil): Phrase("account {account} is not assigned", ["account": account])
    case ("account", let value?), ("accountName", let value?):
      Phrase(
        "account {account} belongs to {child}",
        ["account": account, "child": names(AccountOwners(value)?.children ?? [])])
    case ("name", let value?): Phrase("the child's name is {name}", ["name": .text(value)])
    default: Phrase("the child's name is no longer set")
    }
  }

  /// Returns the former value of a register as a phrase.
  ///
  /// For an account, it has the children's names. It is `nil` if the value has no meaning by
  /// itself, such as the `yes` of a machine's child.
  public static func held(_ register: Register, _ terms: RuleTerms = RuleTerms()) -> Phrase? {
    guard let value = register.value else { return nil }
    guard rank(register) < ruleRank else { return RuleText.valuePhrase(register.key, value, terms) }
    switch register.key.segments.first {
    case "name": return Phrase(verbatim: value)
    case "account", "accountName":
      let names = (AccountOwners(value)?.children ?? []).compactMap { terms.children[$0] }
      return names.isEmpty ? nil : Phrase("{names}", ["names": .list(names.map { .text($0) })])
    default: return nil
    }
  }

  /// The number of registers that a sentence names.
  private static let shown = 3

  private static func rank(_ register: Register) -> Int {
    switch register.key.segments.first {
    case "name": 0
    case "child": 1
    case "account", "accountName": 2
    default: ruleRank
    }
  }

  private static let ruleRank = 3

  private static func phrase(_ register: Register, _ terms: RuleTerms) -> String {
    let last = register.key.segments.last.map(String.init) ?? ""
    let account = "account \(UInt32(last).flatMap { terms.accounts[$0] } ?? last)"
    func names(_ children: [ChildID]) -> String {
      let names = children.compactMap { terms.children[$0] }
      guard names.count == children.count, !names.isEmpty else {
        return children.count > 1 ? "the children" : "the child"
      }
      return ChildNames.joined(names)
    }
    let child = names(ChildID(last).map { [$0] } ?? [])
    return switch (register.key.segments.first.map(String.init), register.value) {
    case ("child", yes): "the machine belongs to \(child)"
    case ("child", _): "the machine no longer belongs to \(child)"
    case ("account", nobody), ("accountName", nobody): "\(account) is not supervised"
    case ("account", nil), ("accountName", nil): "\(account) is not assigned"
    case ("account", let value?), ("accountName", let value?):
      "\(account) belongs to \(names(AccountOwners(value)?.children ?? []))"
    case ("name", let value?): "the child's name \(value)"
    default: RuleText.phrase(register.key, register.value, terms)
    }
  }
}
