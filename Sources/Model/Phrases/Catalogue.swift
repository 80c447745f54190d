/// The texts of one language, read from a file of GNU gettext's portable objects.
///
/// Entries that are fuzzy, obsolete or without a translation are left out.
struct Catalogue: Sendable {
  static let empty = Catalogue("")

  /// English with accents on its letters, except in places.
  static let accented = {
    var catalogue = empty
    catalogue.isAccented = true
    return catalogue
  }()

  private var forms: [String: [String]] = [:]
  private var rule = PluralRule.english
  private var isAccented = false

  /// Reads a file.
  ///
  /// A faulty entry, which `msgfmt --check` would find, is left out.
  init(_ file: String) {
    for entry in CatalogueEntry.read(file) where !entry.isFuzzy && !entry.forms.contains("") {
      guard let form = entry.forms.first else { continue }
      if entry.key.isEmpty { rule = PluralRule(header: form) ?? rule } else { forms[entry.key] = entry.forms }
    }
  }

  /// Returns the text of a phrase, with its places.
  func form(of phrase: Phrase) -> String {
    let english = phrase.plural.map { $0.count == 1 ? phrase.text : $0.other } ?? phrase.text
    if isAccented { return Self.accent(english) }
    guard let forms = forms[phrase.text] else { return english }
    let index = phrase.plural.map { rule.form(of: $0.count) } ?? 0
    return forms.indices.contains(index) ? forms[index] : english
  }

  /// Returns whether the catalogue has the text of a phrase, with places that the phrase has.
  ///
  /// Texts without a letter outside of their places need no entry.
  func has(_ phrase: Phrase) -> Bool {
    if isAccented { return true }
    guard let forms = forms[phrase.text] else { return !Self.hasLetters(phrase.text) && phrase.plural == nil }
    let index = phrase.plural.map { rule.form(of: $0.count) } ?? 0
    let places = Set(phrase.arguments.keys).union(phrase.plural == nil ? [] : ["count"])
    return forms.indices.contains(index) && places.isSuperset(of: Phrase.places(of: forms[index]))
  }

  private static func hasLetters(_ text: String) -> Bool {
    var isPlace = false
    for scalar in text.unicodeScalars {
      if scalar == "{" { isPlace = true }
      if !isPlace, scalar.properties.isAlphabetic { return true }
      if scalar == "}" { isPlace = false }
    }
    return false
  }

  private static func accent(_ text: String) -> String {
    let accents: [Unicode.Scalar: Unicode.Scalar] = [
      "a": "ã", "e": "ē", "i": "ĩ", "o": "õ", "u": "ũ", "n": "ñ", "A": "Ã", "E": "Ē", "I": "Ĩ", "O": "Õ", "U": "Ũ",
    ]
    var (isPlace, words) = (false, String.UnicodeScalarView())
    for scalar in text.unicodeScalars {
      if scalar == "{" { isPlace = true }
      if scalar == "}" { isPlace = false }
      words.append(isPlace ? scalar : accents[scalar] ?? scalar)
    }
    return String(words)
  }
}

/// One entry of a file of translations.
struct CatalogueEntry: Hashable {
  /// The English text; that of the head of the file is empty.
  var key = ""
  /// The translation, or one for each form of the plural.
  var forms: [String] = []
  var isFuzzy = false

  /// Returns the entries of a file in their order.
  static func read(_ file: String) -> [CatalogueEntry] {
    enum Field { case none, key, other, form }
    var entries: [CatalogueEntry] = []
    var (field, isFuzzy) = (Field.none, false)
    // By scalars: a combining mark behind a quote is one character with it.
    for line in file.unicodeScalars.split(separator: "\n") {
      let line = String(String.UnicodeScalarView(line))
      if line.utf8.first == UInt8(ascii: "#") {
        field = .none
        isFuzzy = isFuzzy || (line.hasPrefix("#,") && line.contains("fuzzy"))
        continue
      }
      guard let start = line.utf8.firstIndex(of: UInt8(ascii: "\"")) else { continue }
      let text = unescaped(line.unicodeScalars[start...].dropFirst())
      switch line[..<start].filter({ $0 != " " }) {
      case "msgid":
        entries.append(CatalogueEntry(key: text, isFuzzy: isFuzzy))
        (field, isFuzzy) = (.key, false)
      case "msgid_plural": field = .other
      case let word where word.hasPrefix("msgstr") && !entries.isEmpty:
        entries[entries.count - 1].forms.append(text)
        field = .form
      case "" where field == .key: entries[entries.count - 1].key += text
      case "" where field == .form:
        let last = entries.count - 1
        entries[last].forms[entries[last].forms.count - 1] += text
      default: break
      }
    }
    return entries
  }

  /// Returns a text up to its closing quote, with its escapes resolved.
  private static func unescaped(_ quoted: some Sequence<Unicode.Scalar>) -> String {
    var (text, isEscaped) = (String.UnicodeScalarView(), false)
    for scalar in quoted {
      if isEscaped {
        text.append(scalar == "n" ? "\n" : scalar == "t" ? "\t" : scalar)
        isEscaped = false
      } else if scalar == "\\" {
        isEscaped = true
      } else if scalar == "\"" {
        break
      } else {
        text.append(scalar)
      }
    }
    return String(text)
  }
}
