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
  /// A test finds by it what nobody could translate. It is asked for by the name `qps`.
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
  /// Of `LC_ALL`, `LC_MESSAGES` and `LANG`, the first that is not empty holds, such as
  /// `de_DE.UTF-8`. Unless it is that of the C library, the languages of `LANGUAGE`, such as
  /// `fr:de`, come first.
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
  /// `header` is the value of `Accept-Language`, such as `de-AT,de;q=0.9,en;q=0.5`, of which the
  /// first 16 languages are looked at.
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
    // Without the texts of others, which a process that needs none does not read.
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
