import CTexts

/// A language in which phrases are put into words.
///
/// A phrase that a language has no words for is read in English.
public struct Language: Hashable, Sendable {
  /// The code of ISO 639, such as `de`.
  public let code: String
  private let catalogue: Catalogue

  private init(_ code: String, _ catalogue: Catalogue) { (self.code, self.catalogue) = (code, catalogue) }

  public static let english = Language("en", .empty)

  /// A language whose words are the English ones with accents.
  ///
  /// A test uses it to find texts that cannot be translated. It is selected by the name `qps`.
  public static let pseudo = Language("qps", .accented)

  /// English, and the languages of `Sources/CTexts`.
  public static let all: [Language] = {
    var languages = [english]
    while let code = latchkey_text(Int32(languages.count - 1)).language {
      let text = latchkey_text(Int32(languages.count - 1))
      let bytes = UnsafeBufferPointer(start: text.bytes, count: text.size)
      languages.append(Language(String(cString: code), Catalogue(String(decoding: bytes, as: UTF8.self))))
    }
    return languages
  }()

  /// Returns the first language with texts that the environment of a process asks for, or English.
  ///
  /// The first of `LC_ALL`, `LC_MESSAGES` and `LANG` that is not empty names the locale, such as
  /// `de_DE.UTF-8`. Unless that is the C locale, the languages of `LANGUAGE`, such as `fr:de`, come
  /// first.
  public static func asked(for variables: [String: String]) -> Language {
    let locale = ["LC_ALL", "LC_MESSAGES", "LANG"].lazy.compactMap { variables[$0] }.first { !$0.isEmpty } ?? "C"
    guard locale != "C", locale != "POSIX", !locale.hasPrefix("C.") else { return .english }
    let names = (variables["LANGUAGE"] ?? "").split(separator: ":").map(String.init) + [locale]
    return names.lazy.compactMap { named($0) }.first ?? .english
  }

  /// Returns the language of a file such as `/etc/default/locale`, or English.
  public static func asked(forLocale file: String) -> Language {
    var variables: [String: String] = [:]
    for line in file.split(separator: "\n") {
      let parts = line.split(separator: "=", maxSplits: 1)
      guard parts.count == 2 else { continue }
      variables[parts[0].filter { $0 != " " }] = parts[1].filter { $0 != "\"" && $0 != "'" && $0 != " " }
    }
    return asked(for: variables)
  }

  /// Returns the language that a browser asks for, or English.
  ///
  /// `header` is the value of `Accept-Language`, such as `de-AT,de;q=0.9,en;q=0.5`, of which only
  /// the first 16 languages count.
  public static func asked(for header: String) -> Language {
    var best: (language: Language, quality: Double)?
    for part in header.split(separator: ",").prefix(16) {
      let parts = part.split(separator: ";").map { $0.filter { $0 != " " } }
      guard let name = parts.first, let language = named(name) else { continue }
      let quality = parts.dropFirst().first { $0.hasPrefix("q=") }.map { Double($0.dropFirst(2)) ?? 0 } ?? 1
      if quality > best?.quality ?? 0 { best = (language, quality) }
    }
    return best?.language ?? .english
  }

  /// Returns the language of a name such as `de` or `de_DE.UTF-8`; `nil` without texts in it.
  public static func named(_ name: some StringProtocol) -> Language? {
    let code = name.prefix { $0.isASCII && $0.isLetter }.lowercased()
    // A process that needs only English does not read the texts of other languages.
    if code == english.code { return english }
    return (all + [pseudo]).first { $0.code == code }
  }

  /// Returns the text of a phrase in this language, with its places.
  func form(of phrase: Phrase) -> String { catalogue.form(of: phrase) }

  /// Returns whether this language has the words of a phrase and of all phrases in it.
  public func has(_ phrase: Phrase) -> Bool {
    self == .english || catalogue.has(phrase) && phrase.arguments.values.allSatisfy(has)
  }

  private func has(_ argument: Phrase.Argument) -> Bool {
    switch argument {
    case .text, .number: true
    case .phrase(let phrase): has(phrase)
    case .list(let items): items.allSatisfy(has)
    }
  }

  public static func == (left: Language, right: Language) -> Bool { left.code == right.code }

  public func hash(into hasher: inout Hasher) { hasher.combine(code) }
}

/// The rule by which a language chooses the form of a word for a number.
///
/// It is an expression of C over `n` from the head of a file of GNU gettext (`Plural-Forms`), such
/// as `n%10==1 && n%100!=11 ? 0 : 1`.
struct PluralRule: Sendable {
  static let english = PluralRule(header: "Plural-Forms: nplurals=2; plural=(n != 1);")!

  private indirect enum Term: Sendable {
    case n
    case number(Int)
    case not(Term)
    case binary(String, Term, Term)
    case choice(Term, Term, Term)

    func value(_ n: Int) -> Int {
      switch self {
      case .n: n
      case .number(let number): number
      case .not(let term): term.value(n) == 0 ? 1 : 0
      case .choice(let condition, let yes, let no): condition.value(n) != 0 ? yes.value(n) : no.value(n)
      case .binary(let name, let left, let right): PluralRule.apply(name, left.value(n), right.value(n))
      }
    }
  }

  private let expression: Term

  /// Reads the rule in the head of a file; `nil` if it has none that can be read.
  init?(header: String) {
    guard let line = header.split(separator: "\n").first(where: { $0.hasPrefix("Plural-Forms:") }),
      let start = line.range(ofLast: "plural=")
    else { return nil }
    var reader = Reader(line[start...].prefix { $0 != ";" })
    guard let expression = reader.choice(), reader.isAtEnd else { return nil }
    self.expression = expression
  }

  func form(of count: Int) -> Int { expression.value(abs(max(count, -Int.max))) }

  private static func apply(_ name: String, _ left: Int, _ right: Int) -> Int {
    switch name {
    case "||": left != 0 || right != 0 ? 1 : 0
    case "&&": left != 0 && right != 0 ? 1 : 0
    case "==": left == right ? 1 : 0
    case "!=": left != right ? 1 : 0
    case "<=": left <= right ? 1 : 0
    case ">=": left >= right ? 1 : 0
    case "<": left < right ? 1 : 0
    case ">": left > right ? 1 : 0
    default: right == 0 ? 0 : left % right
    }
  }

  /// Reads an expression from its loosest operators down to its numbers.
  private struct Reader {
    private static let levels = [["||"], ["&&"], ["==", "!="], ["<=", ">=", "<", ">"], ["%"]]
    /// The deepest nesting of parentheses and choices that is read.
    private static let deepest = 16

    private var rest: Substring
    private var depth = 0

    init(_ text: Substring) { rest = Substring(text.filter { $0 != " " }) }

    var isAtEnd: Bool { rest.isEmpty }

    mutating func choice() -> Term? {
      depth += 1
      defer { depth -= 1 }
      guard depth <= Self.deepest, let condition = binary(0) else { return nil }
      guard take("?") else { return condition }
      guard let yes = choice(), take(":"), let no = choice() else { return nil }
      return .choice(condition, yes, no)
    }

    private mutating func binary(_ level: Int) -> Term? {
      guard level < Self.levels.count else { return unary() }
      guard var left = binary(level + 1) else { return nil }
      while let name = Self.levels[level].first(where: { rest.hasPrefix($0) }) {
        rest = rest.dropFirst(name.count)
        guard let right = binary(level + 1) else { return nil }
        left = .binary(name, left, right)
      }
      return left
    }

    private mutating func unary() -> Term? {
      if take("!") { return unary().map { .not($0) } }
      if take("n") { return .n }
      if take("(") {
        guard let inner = choice(), take(")") else { return nil }
        return inner
      }
      let digits = rest.prefix { ("0"..."9").contains($0) }
      rest = rest.dropFirst(digits.count)
      return Int(digits).map { .number($0) }
    }

    private mutating func take(_ text: String) -> Bool {
      guard rest.hasPrefix(text) else { return false }
      rest = rest.dropFirst(text.count)
      return true
    }
  }
}

extension Substring {
  /// Returns where the last occurrence of a text ends.
  fileprivate func range(ofLast text: String) -> Index? {
    indices.reversed().first { self[$0...].hasPrefix(text) }.map { index($0, offsetBy: text.count) }
  }
}
