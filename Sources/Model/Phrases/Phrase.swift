/// A sentence for people as a value: its English text with named places, and what stands in them.
///
/// It is put into words where somebody reads it, in the language of that reader. So what a child's
/// machine says can be read in German by the child and in English by a parent.
///
/// A name in braces is a place: `Phrase("{child} has {time} left", ["child": …, "time": …])`. The
/// text is also the key of the translations (`Sources/CTexts`), so that it stands in the source as
/// one literal, which `Tools/check-texts` finds.
public struct Phrase: Hashable, Sendable {
  /// What stands in a place.
  public indirect enum Argument: Hashable, Sendable {
    /// A text that is the same in all languages, such as a name or a time of the day.
    case text(String)
    case number(Int)
    case phrase(Phrase)
    /// What is listed, such as `A, B and C`.
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
  /// What stands in each place, by its name.
  public var arguments: [String: Argument]

  /// Creates a phrase.
  ///
  /// - Parameters:
  ///   - text: The English text, which names its places in braces.
  ///   - arguments: What stands in each place.
  public init(_ text: String, _ arguments: [String: Argument] = [:]) {
    (self.text, self.arguments) = (text, arguments)
  }

  /// Creates a phrase whose words depend on a number.
  ///
  /// - Parameters:
  ///   - one: The English text for 1.
  ///   - other: The English text for any other number.
  ///   - count: The number, which stands in the place `{count}`.
  ///   - arguments: What stands in the other places.
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

  /// Returns the phrase in words.
  ///
  /// - Parameters:
  ///   - language: The language of the reader.
  ///   - shown: Returns how a text that is the same in all languages, such as a name, is shown.
  /// - Returns: The words.
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

  /// Returns a text with what stands in its places; a place without anything stays as it is.
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
}

extension Phrase: ExpressibleByStringLiteral {
  public init(stringLiteral text: String) { self.init(text) }
}

extension Phrase.Argument: ExpressibleByStringLiteral {
  /// Creates an argument that is the same in all languages.
  public init(stringLiteral text: String) { self = .text(text) }

  func worded(in language: Language, showing shown: (String) -> String) -> String {
    switch self {
    case .text(let text): shown(text)
    case .number(let number): String(number)
    case .phrase(let phrase): phrase.worded(in: language, showing: shown)
    case .list(let items): Self.worded(items.map { $0.worded(in: language, showing: shown) }, in: language)
    }
  }

  /// Returns what one of some words is chosen from, such as `A, B or C`.
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
