import LatchkeyModel

/// The functions that read, write and word the values of a kind of rule.
///
/// Spec: Protocol/11-rules.md §1.
struct RuleForm<Value: Hashable & Sendable>: Sendable {
  let values: RuleValues
  /// Reads a value as a person may type it; traps for no text.
  let typed: @Sendable (String) throws(RuleFault) -> Value
  /// Reads the argument of an option, in units that a parent uses.
  let given: @Sendable (String) throws(RuleFault) -> Value
  /// The words that an option takes; none if it takes other arguments.
  let options: [String]
  let text: @Sendable (Value) -> String
  let words: @Sendable (Value, RuleTerms) -> Phrase

  /// Creates a form; by default, options take what `typed` takes, and the words are the text.
  init(
    _ values: RuleValues, typed: @escaping @Sendable (String) throws(RuleFault) -> Value,
    given: (@Sendable (String) throws(RuleFault) -> Value)? = nil, options: [String] = [],
    text: @escaping @Sendable (Value) -> String, words: (@Sendable (Value, RuleTerms) -> Phrase)? = nil
  ) {
    (self.values, self.typed, self.given, self.options, self.text) = (values, typed, given ?? typed, options, text)
    self.words = words ?? { value, _ in Phrase(verbatim: text(value)) }
  }

  /// Reads the text of a register.
  ///
  /// Each value has one form. Throws a fault for any other, so that all implementations accept the
  /// same texts.
  func stored(_ text: String) throws(RuleFault) -> Value {
    guard text.utf8.count <= Register.valueBytes else { throw .tooLarge }
    let value = try typed(text)
    guard self.text(value).utf8.elementsEqual(text.utf8) else { throw .notInItsForm }
    return value
  }
}

/// The values of a kind of rule, as the specification defines them.
public enum RuleValues: Hashable, Sendable {
  case words([String])
  case number(ClosedRange<Int64>)
  /// A text of a form that the specification describes, by its name there.
  case form(String)
}

/// The unit of the number of a rule.
enum RuleUnit: Sendable {
  case seconds, minutes, days, hour
  /// Milli-points a minute.
  case rate
  case points

  /// Reads an option's argument, such as `1h30m` or `2.5` points; `nil` for anything else.
  func read(_ text: String) -> Int64? {
    switch self {
    case .seconds: SpanReader.milliseconds(text, plain: 1_000).map { $0 / 1_000 }
    case .minutes: SpanReader.minutes(text).map { Int64($0) }
    case .days: Int64(text) ?? SpanReader.milliseconds(text).map { $0 / 86_400_000 }
    case .hour: Int64(text.hasSuffix(":00") ? String(text.dropLast(3)) : text)
    case .rate, .points: PointsText.milliPoints(text)
    }
  }

  func words(_ number: Int64) -> Phrase {
    switch self {
    case .seconds:
      number % 60 == 0 && number > 0
        ? SpanText.phrase(minutes: Int(clamping: number / 60))
        : Phrase("{seconds} s", ["seconds": .number(Int(clamping: number))])
    case .minutes: SpanText.phrase(minutes: Int(clamping: number))
    case .days:
      number == 1
        ? Phrase("for the day") : Phrase(one: "{count} day", other: "{count} days", count: Int(clamping: number))
    case .hour: Phrase(verbatim: "\(number):00")
    case .rate: Phrase("{points} a minute", ["points": .phrase(PointsText.phrase(number))])
    case .points: Phrase("at most {points}", ["points": PointsText.number(number)])
    }
  }
}

extension RuleForm<Int64> {
  /// A whole number.
  ///
  /// `fault` is the sentence for any other value, `option` that for any other argument of an
  /// option.
  static func number(_ range: ClosedRange<Int64>, _ unit: RuleUnit, fault: Phrase, option: Phrase) -> Self {
    @Sendable func checked(_ number: Int64?, _ fault: Phrase) throws(RuleFault) -> Int64 {
      guard let number, range.contains(number) else { throw RuleFault(fault) }
      return number
    }
    return RuleForm(
      .number(range), typed: { text throws(RuleFault) in try checked(RuleNumber.read(text), fault) },
      given: { text throws(RuleFault) in try checked(unit.read(text), option) }, text: { String($0) },
      words: { number, _ in unit.words(number) })
  }

  /// A rate in milli-points a minute.
  static var rate: Self {
    let form = number(
      Limits.milliPointsPerMinute, .rate,
      fault: "A rate is 0 to 1,000,000,000 milli-points a minute: give a whole number.", option: RuleFault.rate.phrase)
    return RuleForm(
      form.values, typed: form.typed,
      given: { text throws(RuleFault) in
        guard let points = PointsText.milliPoints(text) else { throw .rate }
        return points
      }, text: form.text, words: form.words)
  }

  /// Minutes of a week.
  static var weekly: Self {
    number(
      0...10_080, .minutes, fault: "A limit a week is 0 to 10,080 minutes, the whole week: give a whole number.",
      option: """
        A limit a week is 0 to 10,080 minutes, the whole week: give a time such as 300, 5h or 7h30m, or none.
        """)
  }

  /// The most points that learning earns.
  static var mostPoints: Self {
    number(
      0...1_000_000_000_000, .points,
      fault: "The most that learning earns is 0 to 1,000,000,000,000 milli-points: give a whole number.",
      option: """
        The most that learning earns is 0 to 1,000,000,000,000 milli-points: give a number of points from 0 to 1,000,000, \
        such as 60, or none.
        """)
  }
}

extension RuleForm<Bool> {
  static var flag: Self { flag(words: (Phrase("yes"), Phrase("no"))) }

  /// A flag of which people read “on” and “off”.
  static var onOff: Self { flag(words: (Phrase("on"), Phrase("off"))) }

  private static func flag(words: (yes: Phrase, no: Phrase)) -> Self {
    RuleForm(
      .words(["yes", "no"]),
      typed: { text throws(RuleFault) in
        guard text == "yes" || text == "no" else { throw RuleFault("That is yes or no: give one of them.") }
        return text == "yes"
      }, text: { $0 ? "yes" : "no" }, words: { value, _ in value ? words.yes : words.no })
  }
}

extension RuleForm<Block> {
  static var block: Self {
    choice(
      fault: "That is {words}: give one of them.",
      words: [.yes: Phrase("yes"), .no: Phrase("no"), .now: Phrase("yes, without time to save")])
  }
}

extension RuleForm where Value: RawRepresentable & CaseIterable, Value.RawValue == String {
  /// One of some words.
  ///
  /// `fault` is the sentence for any other word, and `option` that for options, if it differs. Both
  /// have the place `{words}`. An option takes the value's word with hyphens for capital letters,
  /// unless `given` has another one. `words` are what people read.
  static func choice(
    fault: Phrase, isLowercased: Bool = false, given: [Value: String] = [:], option: Phrase? = nil,
    words: [Value: Phrase] = [:]
  ) -> Self {
    let (choices, sentence) = (Array(Value.allCases), fault)
    let options = choices.map { given[$0] ?? hyphened($0.rawValue) }
    @Sendable func other(_ words: [String], _ sentence: Phrase) -> RuleFault {
      var sentence = sentence
      sentence.arguments["words"] = .either(words)
      return RuleFault(sentence)
    }
    return RuleForm(
      .words(choices.map(\.rawValue)),
      typed: { text throws(RuleFault) in
        guard let choice = Value(rawValue: isLowercased ? text.lowercased() : text) else {
          throw other(choices.map(\.rawValue), sentence)
        }
        return choice
      },
      given: { text throws(RuleFault) in
        guard let index = options.firstIndex(of: text.lowercased()) else { throw other(options, option ?? sentence) }
        return choices[index]
      }, options: options, text: { $0.rawValue },
      words: { value, _ in words[value] ?? Phrase(verbatim: value.rawValue) })
  }

  /// Returns `pay-as-you-go` for `payAsYouGo`.
  private static func hyphened(_ word: String) -> String {
    word.map { $0.isUppercase ? "-\($0.lowercased())" : String($0) }.joined()
  }
}

extension RuleForm<String> {
  /// A text that a rule of the model checks.
  static func text(_ rule: TextRule, _ name: String) -> Self {
    RuleForm(.form(name), typed: { text throws(RuleFault) in try checked(text, rule) }, text: { $0 })
  }

  /// The IANA name of a time zone.
  static var zone: Self { RuleForm(.form("zone"), typed: known, text: { $0 }) }

  private static func known(_ text: String) throws(RuleFault) -> String {
    let name = try checked(text, TextRule.zone)
    do { _ = try DayBoundary(zone: name, dayStartHour: 0) } catch { throw RuleFault(error.phrase) }
    return name
  }

  private static func checked(_ text: String, _ rule: TextRule) throws(RuleFault) -> String {
    if let fault = rule.faultPhrase(in: text) { throw RuleFault(fault) }
    return text
  }
}

extension RuleForm<PINHash> {
  /// The hash of a child's PIN, which is never shown.
  static var pin: Self {
    RuleForm(
      .form("PIN"),
      typed: { text throws(RuleFault) in
        guard let hash = PINHash(text) else {
          throw RuleFault("A PIN is set with `latchkey children pin`, which asks for it: run that.")
        }
        return hash
      }, text: { $0.text }, words: { _, _ in Phrase("set") })
  }
}

extension RuleForm<DayLimit?> {
  /// A limit a day: minutes, or none.
  static var limit: Self { limit("limit", typed: DayLimits.read, given: DayLimits.given) }

  /// A limit a day that may apply only within some hours.
  static var limitWithin: Self {
    limit("limit within", typed: DayLimits.readWithHours, given: DayLimits.givenWithHours)
  }

  private static func limit(
    _ name: String, typed: @escaping @Sendable (String) throws(RuleFault) -> DayLimit?,
    given: @escaping @Sendable (String) throws(RuleFault) -> DayLimit?
  ) -> Self {
    RuleForm(
      .form(name), typed: typed, given: given, text: DayLimits.text(of:),
      words: { limit, _ in limit?.phrase ?? Phrase("no limit") })
  }
}

extension RuleFault {
  fileprivate static let notInItsForm = RuleFault("The rule is not written in its only form: set it again.")
  fileprivate static let tooLarge = RuleFault("The rule is larger than 20,480 bytes: make it smaller.")
  fileprivate static let rate = RuleFault(
    "Points a minute are a number from 0 to 1,000,000 with at most three decimal places, such as 2 or 0.5.")
}
