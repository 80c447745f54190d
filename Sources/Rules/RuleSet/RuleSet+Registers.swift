import LatchkeyModel

/// A rule: a key that this version knows, with a valid value.
///
/// Spec: Protocol/11-rules.md §1.
public struct Rule: Hashable, Sendable {
  public let key: RuleKey
  public let registerKey: RegisterKey
  /// The value as text in its one form, which is the value of the register.
  public let text: String

  /// Creates a rule from a typed text; throws a fault that says what to give instead.
  public init(_ key: RuleKey, typed text: String) throws(RuleFault) {
    guard let registerKey = key.registerKey else {
      throw RuleFault("The application's ID is too long for a rule: give it a shorter one.")
    }
    (self.key, self.registerKey) = (key, registerKey)
    self.text = try key.entry.read(text, false).text
  }

  /// Creates a rule from the text of a register, which has one form for each value.
  public init(_ key: RuleKey, stored text: String) throws(RuleFault) {
    try self.init(key, typed: try key.entry.read(text, true).text)
  }

  public func register(in zone: Zone, modified: HybridTimestamp) -> Register {
    Register(zone, registerKey, text, modified: modified)
  }
}

/// A register that has no effect on this machine, and why.
public struct NotInForce: Hashable, Sendable {
  public var zone: Zone
  public var key: RegisterKey
  /// The reason and the next step.
  public var phrase: Phrase

  public var reason: String { phrase.worded() }
}

extension RuleSet {
  /// Reads the rules of a child from registers, and lists those that have no effect.
  ///
  /// The registers of other children and of machines are ignored. A register of the child replaces
  /// the family's under the same key, unless it was deleted or cannot be read. A child's limit of
  /// every day replaces all limits of the family on the same subject. The order of the registers
  /// does not matter.
  ///
  /// Without a child, the rules are those of the whole family. `defaults` are the categories of
  /// applications that no parent has set.
  ///
  /// Spec: Protocol/11-rules.md §2.
  public static func read(
    _ registers: some Sequence<Register>, child: ChildID?, defaults: [AppID: AppCategory] = DefaultCategory.all
  ) -> (rules: RuleSet, notInForce: [NotInForce]) {
    var rules = RuleSet()
    var notInForce: [NotInForce] = []
    var known: [(key: RuleKey, register: Register, value: String)] = []
    for register in registers {
      guard register.zone == .family || register.zone == child.map({ .child($0) }), let value = register.value else {
        continue
      }
      do throws(RuleFault) { known.append((try key(of: register), register, value)) } catch {
        notInForce.append(NotInForce(zone: register.zone, key: register.key, phrase: error.phrase))
      }
    }
    rules.defaults = defaults
    // A child's rules replace the family's. In a zone, the limit of a weekday replaces that of
    // every day. Of two exceptions for a day, the later one replaces the earlier one. No other
    // order matters.
    known.sort { ($0.register.modified, $0.register.key) < ($1.register.modified, $1.register.key) }
    for (isChilds, isOfWeekday) in [(false, false), (false, true), (true, false), (true, true)] {
      for (key, register, value) in known
      where (register.zone != .family) == isChilds && (key.weekday != nil) == isOfWeekday {
        do throws(RuleFault) { try key.set(value, in: &rules) } catch {
          notInForce.append(NotInForce(zone: register.zone, key: register.key, phrase: error.phrase))
        }
      }
    }
    // An application that only a group names has rules as well.
    for app in rules.groups.values.flatMap(\.members) where rules.apps[app] == nil { rules.apps[app] = App() }
    notInForce.sort { ($0.zone, $0.key) < ($1.zone, $1.key) }
    return (rules, notInForce)
  }

  private static func key(of register: Register) throws(RuleFault) -> RuleKey {
    guard let key = RuleKey(register.key) else {
      throw RuleFault(
        Phrase(
          "This version does not know the rule {rule}: update Latchkey on this machine.",
          ["rule": .text(register.key.text)]))
    }
    guard key.belongs(in: register.zone) else {
      let rule = ["rule": Phrase.Argument.text(register.key.text)]
      throw RuleFault(
        register.zone == .family
          ? Phrase("The rule {rule} can only be of one child: set it there.", rule)
          : Phrase("The rule {rule} can only be of the whole family: set it there.", rule))
    }
    if key.isOfMany { throw .manyPrograms }
    return key
  }
}

extension FamilySettings {
  /// A setting: a rule of the whole family, with its name in the local API.
  public struct Member: Sendable {
    public let name: String
    public let key: RuleKey
    /// The value without a rule; `nil` if there is none, and the setting is left out.
    public let usual: String?

    /// A Boolean value that indicates whether it is a number in JSON.
    public var isNumber: Bool { if case .number = key.entry.values { true } else { false } }

    /// Returns the value that holds in words, such as "2 h", or what no value means, such as "no
    /// limit".
    public func words(in rules: RuleSet, _ terms: RuleTerms = RuleTerms()) -> String {
      guard let place = key.registerKey else { return "" }
      guard let text = key.shown(in: rules) ?? usual else {
        // Whoever shows the value shows the name before it.
        return RuleText.phrase(place, nil, terms).replacing(" on \(RuleText.name(place, terms))", with: "")
      }
      if key.entry.hasWeekdays, let limits = try? DayLimits(text) { return limits.words }
      return RuleText.value(place, text, terms)
    }
  }

  /// All settings: those that the table names, and those of categories that have one.
  public static let members =
    RuleSet.rows.compactMap { row in
      row.entry.setting.map { Member(name: $0, key: RuleKey(.child(row)), usual: row.entry.usual) }
    } + [
      Member(name: "learningMilliPointsPerMinute", key: CategoryRule.rate.key(of: .learning), usual: usualRate),
      Member(name: "rewardMilliPointsPerMinute", key: CategoryRule.rate.key(of: .reward), usual: usualRate),
      Member(name: "dailyRewardLimit", key: CategoryRule.limit.key(of: .reward), usual: nil),
      Member(name: "weeklyRewardLimitMinutes", key: CategoryRule.weekly.key(of: .reward), usual: nil),
    ]

  private static let usualRate = String(RuleSet.usualRate)

  /// Creates the settings from rules of the whole family.
  public init(_ rules: RuleSet) {
    self.init([:])
    for member in Self.members {
      guard let text = member.key.shown(in: rules) ?? member.usual else { continue }
      values[member.name] = member.isNumber ? Int64(text).map { .number($0) } : .text(text)
    }
  }
}

extension RuleSet {
  /// Creates the rules from settings; settings that this version does not know are left out.
  public init(_ settings: FamilySettings) {
    self.init()
    for member in FamilySettings.members {
      switch settings.values[member.name] {
      case nil: break
      case .number(let number): try? member.key.set(String(number), in: &self)
      case .text(let text) where member.key.entry.hasWeekdays:
        guard let limits = try? DayLimits(text) else { break }
        for day in Weekday.allCases { try? member.key.on(day).set(DayLimits.text(of: limits[day]), in: &self) }
      case .text(let text): try? member.key.set(text, in: &self)
      }
    }
  }
}
