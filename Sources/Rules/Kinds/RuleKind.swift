import LatchkeyModel

/// A kind of rule: a row of the table of rules.
///
/// The row defines everything about the kind: its key, its zones, how its values are read and
/// written, where they are in a child's rules, and their words. In the words, `#` stands for the
/// subject of the rule, `@` for the ID of its application, and `=` for the value.
///
/// Spec: Protocol/11-rules.md §1.
public struct RuleKind<Part: RulePart, Value: Hashable & Sendable>: Sendable {
  let form: RuleForm<Value>
  /// The row without the type of its values.
  let row: RuleRow<Part>

  /// The table's entry for the kind.
  public var entry: RuleEntry { row.entry }

  /// Creates a kind whose value is never absent: without a rule it has the value of a new `Part`.
  init(
    _ key: String, _ path: any WritableKeyPath<Part, Value> & Sendable, _ form: RuleForm<Value>,
    zones: RuleZones = .both, name: String, set: (@Sendable (Value) -> String)? = nil, removed: String? = nil,
    effects: RuleEffects = [], setting: String? = nil
  ) {
    let usual = form.text(Part()[keyPath: path])
    self.init(
      form, key: key, zones: zones, name: name, phrase: set, removed: removed, effects: effects, setting: setting,
      usual: usual, hasWeekdays: false, shown: { form.text($0[keyPath: path]) },
      store: { part, value, _ in part[keyPath: path] = value })
  }

  /// Creates a kind whose value is absent without a rule.
  init(
    _ key: String, _ path: any WritableKeyPath<Part, Value?> & Sendable, _ form: RuleForm<Value>,
    zones: RuleZones = .both, name: String, set: (@Sendable (Value) -> String)? = nil, removed: String? = nil,
    effects: RuleEffects = [], setting: String? = nil
  ) {
    self.init(
      form, key: key, zones: zones, name: name, phrase: set, removed: removed, effects: effects, setting: setting,
      usual: nil, hasWeekdays: false, shown: { $0[keyPath: path].map(form.text) },
      store: { part, value, _ in part[keyPath: path] = value })
  }

  private init(
    _ form: RuleForm<Value>, key: String, zones: RuleZones, name: String, phrase: (@Sendable (Value) -> String)?,
    removed: String?, effects: RuleEffects, setting: String?, usual: String?, hasWeekdays: Bool,
    shown: @escaping @Sendable (Part) -> String?, store: @escaping @Sendable (inout Part, Value, Weekday?) -> Void
  ) {
    self.form = form
    let entry = RuleEntry(
      pattern: Part.place + key, zones: zones, values: form.values, usual: usual, effects: effects,
      hasWeekdays: hasWeekdays, setting: setting, name: name, removal: removed ?? "“\(name)” back to the default",
      options: form.options,
      read: { text, isStored throws(RuleFault) in
        let value = isStored ? try form.stored(text) : try form.typed(text)
        return ReadValue(
          text: form.text(value), phrase: phrase?(value) ?? "\(name) =", words: { form.words(value, $0) })
      }, given: { text throws(RuleFault) in form.text(try form.given(text)) })
    row = RuleRow(entry: entry, shown: shown) { part, text, weekday throws(RuleFault) in
      store(&part, try form.stored(text), weekday)
    }
  }

  /// Returns a value as its rule is written.
  public func text(_ value: Value) -> String { form.text(value) }

  /// The part of the key after the subject of the rule, such as `blocked`.
  public var end: String { String(row.end) }

  /// Returns the change for a request that names the subject; without a value, no change.
  public func changes(_ value: Value?) -> [RuleRequest.Change] { value.map { [change($0)] } ?? [] }

  /// Returns the change for a request that names the subject.
  public func change(_ value: Value) -> RuleRequest.Change { .init(end, text(value)) }

  /// Returns a value in words, such as "2 h".
  public func words(_ value: Value, _ terms: RuleTerms = RuleTerms()) -> String { form.words(value, terms).worded() }

  /// Reads an option's argument, such as `1h30m`; throws a fault with what to give instead.
  public func read(given text: String) throws(RuleFault) -> Value { try form.given(text) }

  /// Returns the value that a register sets; `nil` without a valid one of this kind.
  public func value(in register: Register) -> Value? {
    guard let text = register.value, let key = RuleKey(register.key), key.entry == entry else { return nil }
    return try? form.stored(text)
  }

  /// Returns the value of a rule; `nil` for a rule of another kind.
  public func value(of rule: Rule) -> Value? { rule.key.entry == entry ? try? form.stored(rule.text) : nil }
}

extension RuleKind where Value == DayLimit? {
  /// Creates the kind of a limit a day; each weekday may have a limit of its own beside it.
  ///
  /// `name` ends in "a day"; `set` names a limit in an edit, and `removed` an edit without one.
  init(
    limit key: String, _ path: any WritableKeyPath<Part, DayLimits?> & Sendable, _ form: RuleForm<DayLimit?> = .limit,
    name: String, set: String? = nil, removed: String, effects: RuleEffects = .closes
  ) {
    self.init(
      form, key: key, zones: .both, name: name,
      phrase: { limit in
        guard let limit else { return removed }
        let words = set ?? "\(name) ="
        return limit.hoursInWords.map { words.replacing("=", with: SpanText.minutes(limit.minutes)) + " \($0)" }
          ?? words
      }, removed: removed, effects: effects, setting: nil, usual: nil, hasWeekdays: true,
      shown: { $0[keyPath: path]?.text },
      store: { part, limit, weekday in
        var limits = part[keyPath: path] ?? DayLimits(everyDay: DayLimit?.none)
        if let weekday { limits[weekday] = limit } else { limits = DayLimits(everyDay: limit) }
        part[keyPath: path] = limits.isEmpty ? nil : limits
      })
  }
}

/// The rules of one subject, such as an application, in which rows of the table keep their values.
public protocol RulePart: Sendable {
  /// The beginning of its keys as the specification writes it, such as `app/ID/`.
  static var place: String { get }
  /// The rows, in the order in which people read them.
  static var rows: [RuleRow<Self>] { get }
  /// The rows by the ends of their keys.
  static var table: [String: RuleRow<Self>] { get }
  /// Creates the rules of a subject for which no rule is set.
  init()
}

extension RulePart {
  /// Returns the rows by the ends of their keys.
  static func indexed(_ rows: [RuleRow<Self>]) -> [String: RuleRow<Self>] {
    Dictionary(uniqueKeysWithValues: rows.map { (String($0.end), $0) })
  }
}

/// A row of the table without the type of its values.
public struct RuleRow<Part: RulePart>: Hashable, Sendable {
  /// The table's entry for the kind.
  public let entry: RuleEntry
  /// Returns the value that a part has, as its rule is written; `nil` for none.
  let shown: @Sendable (Part) -> String?
  /// Sets the value of a register in the rules of the subject; of a limit, for a weekday.
  let set: @Sendable (inout Part, String, Weekday?) throws(RuleFault) -> Void

  var end: Substring { entry.pattern.dropFirst(Part.place.count) }

  public static func == (left: RuleRow, right: RuleRow) -> Bool { left.entry == right.entry }
  public func hash(into hasher: inout Hasher) { hasher.combine(entry) }
}

/// A row of the table of rules, without the types of its values and its subject.
public struct RuleEntry: Hashable, Sendable {
  /// The key as the specification writes it, such as `app/ID/blocked`.
  public let pattern: String
  /// The zones in which a register may be.
  public let zones: RuleZones
  public let values: RuleValues
  /// The value without a rule, as it is written; `nil` for none.
  public let usual: String?
  public let effects: RuleEffects
  /// A Boolean value that indicates whether each weekday may have a rule of its own.
  public let hasWeekdays: Bool
  /// The name among the family's settings in the local API; `nil` if it is not shown there.
  public let setting: String?
  let name: String
  let removal: String
  /// The words that an option takes for those of `values`; none if it takes other arguments.
  let options: [String]
  /// Reads a typed value or, if the second argument is true, one in its only form.
  let read: @Sendable (String, Bool) throws(RuleFault) -> ReadValue
  /// Returns the value of an option's argument, as it is written.
  public let given: @Sendable (String) throws(RuleFault) -> String

  /// An argument of an option that sets the rule: the first of its words that is not the default,
  /// or what the sentence about a wrong argument names; `nil` if that names nothing.
  public var example: String? {
    if case .words(let words) = values, let (_, option) = zip(words, options).first(where: { $0.0 != usual }) {
      return option
    }
    do { return try given("?") } catch {
      return error.sentence.firstMatch(of: /such as ([^ ,]*[^ ,.])/).map { String($0.output.1) }
    }
  }

  /// Returns whether a value as a person may type it is the one that is stored.
  public func isSame(_ typed: String?, _ stored: String) -> Bool {
    guard let typed, typed != stored else { return typed != nil }
    do { return try read(typed, false).text == stored } catch { return false }
  }

  public static func == (left: RuleEntry, right: RuleEntry) -> Bool { left.pattern == right.pattern }
  public func hash(into hasher: inout Hasher) { hasher.combine(pattern) }
}

/// A value that was read, and the words for it.
struct ReadValue: Sendable {
  var text: String
  /// The phrase for an edit that sets it.
  var phrase: String
  var words: @Sendable (RuleTerms) -> Phrase
}

/// The zones in which rules of a kind may be.
public enum RuleZones: Hashable, Sendable {
  /// The family's and a child's.
  case both
  case child
  case family
}

/// The effects of rules of a kind on a child's machine.
public struct RuleEffects: OptionSet, Hashable, Sendable {
  public let rawValue: Int
  public init(rawValue: Int) { self.rawValue = rawValue }

  /// They close programs or sessions, so that an agent has to carry them out.
  public static let closes = RuleEffects(rawValue: 1)
  /// They close or count programs that no rule names.
  public static let everything = RuleEffects(rawValue: 2)
  /// They depend on what counts as screen time.
  public static let measured = RuleEffects(rawValue: 4)
}
