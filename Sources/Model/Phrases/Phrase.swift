/// A sentence for people: its English text with named places, and the arguments for these places.
///
/// It is put into words where it is read, in the reader's language. So a child can read in German
/// what a parent reads in English.
///
/// A name in braces is a place: `Phrase("{child} has {time} left", ["child": …, "time": …])`. The
/// text is also the key of the translations (`Sources/CTexts`), so that it stands in the source as
/// one literal, which `Tools/check-texts` finds.
public struct Phrase: Hashable, Sendable, ExpressibleByStringLiteral {
  public indirect enum Argument: Hashable, Sendable {
    /// A text that is the same in all languages, such as a name or a time of the day.
    case text(String)
    case number(Int)
    case phrase(Phrase)
    /// A list, such as `A, B and C`.
    case list([Argument])
  }

  /// The English text for one, and that for all other numbers.
  public struct Plural: Hashable, Sendable {
    /// The English text for any other number than 1.
    public var other: String
    /// The number that decides, which stands in the place `{count}` if there is one.
    public var count: Int
  }

  /// The English text, with its places; with a plural, the text for 1.
  public var text: String
  public var plural: Plural?
  /// The argument for each place, by the place's name.
  public var arguments: [String: Argument]

  /// Creates a phrase of an English text, with arguments for the places that it names in braces.
  public init(_ text: String, _ arguments: [String: Argument] = [:]) { (self.text, self.arguments) = (text, arguments) }

  /// Creates a phrase with a text for 1 and another one for any other number, the place `{count}`.
  public init(one: String, other: String, count: Int, _ arguments: [String: Argument] = [:]) {
    self.init(one, arguments)
    plural = Plural(other: other, count: count)
  }

  /// Creates a phrase of words that are the same in all languages, such as a name.
  public init(verbatim words: String) { self.init("{words}", ["words": .text(words)]) }

  /// Returns the phrase in words.
  ///
  /// A place for which there is no argument stays as it is.
  public func worded(in language: Language = .english) -> String { worded(in: language) { $0 } }

  /// Returns the phrase in words; `shown` makes texts such as names fit to be shown.
  public func worded(in language: Language, showing shown: (String) -> String) -> String {
    Self.filled(language.form(of: self)) { argument($0)?.worded(in: language, showing: shown) }
  }

  /// Returns the names of the places of a text, in their order.
  static func places(of text: String) -> [String] {
    var names: [String] = []
    _ = filled(text) { name in
      names.append(name)
      return nil
    }
    return names
  }

  /// Returns a text with its places filled; a place without an argument stays as it is.
  private static func filled(_ text: String, _ argument: (String) -> String?) -> String {
    var words = ""
    var rest = Substring(text)
    while let start = rest.firstIndex(of: "{"), let end = rest[start...].firstIndex(of: "}") {
      words += rest[..<start]
      let name = String(rest[rest.index(after: start)..<end])
      words += argument(name) ?? String(rest[start...end])
      rest = rest[rest.index(after: end)...]
    }
    return words + rest
  }

  private func argument(_ name: String) -> Argument? {
    if let argument = arguments[name] { return argument }
    return name == "count" ? plural.map { .number($0.count) } : nil
  }

  public init(stringLiteral text: String) { self.init(text) }

  /// Returns a name in the quotation marks of the reader's language, so that it cannot pass for
  /// Latchkey's own words.
  ///
  /// Marks in the name itself become plain ones, and what cannot be shown is left out.
  public static func quoted(_ name: String) -> Phrase {
    let inner = ["“", "”", "„"].reduce(PrintableText.of(name)) { $0.replacing($1, with: "\"") }
    return Phrase("“{name}”", ["name": .text(inner)])
  }
}

extension Phrase.Argument: ExpressibleByStringLiteral {
  public init(stringLiteral text: String) { self = .text(text) }

  func worded(in language: Language, showing shown: (String) -> String) -> String {
    switch self {
    case .text(let text): shown(text)
    case .number(let number): String(number)
    case .phrase(let phrase): phrase.worded(in: language, showing: shown)
    case .list(let items): Self.worded(items.map { $0.worded(in: language, showing: shown) }, in: language)
    }
  }

  /// Returns words to choose from as one argument, such as `A, B or C`.
  public static func either(_ words: [String]) -> Phrase.Argument {
    guard let last = words.last, words.count > 1 else { return .text(words.first ?? "") }
    let list = words.dropLast().joined(separator: ", ")
    return .phrase(Phrase("{list} or {last}", ["list": .text(list), "last": .text(last)]))
  }

  private static func worded(_ items: [String], in language: Language) -> String {
    guard let last = items.last, items.count > 1 else { return items.first ?? "" }
    let list = items.dropLast().joined(separator: ", ")
    return Phrase("{list} and {last}", ["list": .text(list), "last": .text(last)]).worded(in: language)
  }
}

/// A phrase as the local API and the messages between machines carry it: its English words, and
/// beside them the text and the arguments, from which another language is made.
///
/// `{"sentence": "Emma has 5 min left", "text": "{child} has {time} left",
/// "arguments": {"child": "Emma", "time": "5 min"}}`. `arguments` is left out if it is empty, and a
/// plural adds `"other"` and `"count"`. An argument is a string, a whole number, a phrase, or a
/// list of these.
///
/// Spec: Protocol/07-local-api.md §2.
extension Phrase: Codable {
  /// The deepest nesting of phrases that is read.
  public static let deepest = 10

  private enum Key: String, CodingKey { case sentence, text, other, count, arguments }

  public init(from decoder: any Decoder) throws {
    guard decoder.codingPath.count < 64 else {
      throw DecodingError.dataCorrupted(.init(codingPath: decoder.codingPath, debugDescription: "nested too deeply"))
    }
    let values = try decoder.container(keyedBy: Key.self)
    self.init(
      try values.decode(String.self, forKey: .text),
      try values.decodeIfPresent([String: Argument].self, forKey: .arguments) ?? [:])
    if let count = try values.decodeIfPresent(Int.self, forKey: .count) {
      plural = Plural(other: try values.decode(String.self, forKey: .other), count: count)
    }
    guard depth <= Self.deepest else {
      throw DecodingError.dataCorrupted(.init(codingPath: decoder.codingPath, debugDescription: "nested too deeply"))
    }
  }

  public func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: Key.self)
    try values.encode(worded(), forKey: .sentence)
    try values.encode(text, forKey: .text)
    try values.encodeIfPresent(plural?.other, forKey: .other)
    try values.encodeIfPresent(plural?.count, forKey: .count)
    if !arguments.isEmpty { try values.encode(arguments, forKey: .arguments) }
  }

  private var depth: Int { 1 + (arguments.values.map(\.depth).max() ?? 0) }
}

extension Phrase.Argument: Codable {
  public init(from decoder: any Decoder) throws {
    let value = try decoder.singleValueContainer()
    if let text = try? value.decode(String.self) {
      self = .text(text)
    } else if let number = try? value.decode(Int.self) {
      self = .number(number)
    } else if let list = try? value.decode([Phrase.Argument].self) {
      self = .list(list)
    } else {
      self = .phrase(try value.decode(Phrase.self))
    }
  }

  public func encode(to encoder: any Encoder) throws {
    var value = encoder.singleValueContainer()
    switch self {
    case .text(let text): try value.encode(text)
    case .number(let number): try value.encode(number)
    case .phrase(let phrase): try value.encode(phrase)
    case .list(let list): try value.encode(list)
    }
  }

  fileprivate var depth: Int {
    switch self {
    case .text, .number: 0
    case .phrase(let phrase): 1 + (phrase.arguments.values.map(\.depth).max() ?? 0)
    case .list(let list): 1 + (list.map(\.depth).max() ?? 0)
    }
  }
}
