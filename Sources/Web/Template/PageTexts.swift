import LatchkeyModel

/// The texts of templates and data in the language of who reads.
enum PageTexts {
  /// Returns a template whose texts in double brackets are in a language.
  static func worded(_ template: String, in language: Language) -> String {
    let parts = split(template, at: "[[")
    return parts.dropFirst().reduce(parts.first ?? "") { all, part in
      let halves = split(part, at: "]]")
      precondition(halves.count == 2, "A text of a template does not end: \(part)")
      return all + markup(Phrase(halves[0]).worded(in: language)) + halves[1]
    }
  }

  /// Returns data whose phrases are in a language, with marks around what is written from right to
  /// left.
  static func worded(_ data: PageData, in language: Language) -> PageData { data.mapValues { value($0, language) } }

  private static func value(_ value: Any, _ language: Language) -> Any {
    switch value {
    case let phrase as Phrase: phrase.worded(in: language, showing: Isolation.marking)
    case let text as String: Isolation.marking(text)
    case let told as ToldSentence: told.worded(in: language, showing: Isolation.marking)
    case let data as PageData: worded(data, in: language)
    case let list as [Any]: list.map { Self.value($0, language) }
    default: value
    }
  }

  /// Returns a text of a template as markup, in which its places are tags.
  private static func markup(_ text: String) -> String {
    split(split(MarkupEscape.escape(text), at: "{").joined(separator: "{{"), at: "}").joined(separator: "}}")
  }

  /// Returns the parts of a text around a mark, which is compared scalar by scalar.
  private static func split(_ text: String, at mark: String) -> [String] {
    let (scalars, mark) = (Array(text.unicodeScalars), Array(mark.unicodeScalars))
    var (parts, part, index) = ([String](), String.UnicodeScalarView(), 0)
    while index < scalars.count {
      if scalars[index...].starts(with: mark) {
        parts.append(String(part))
        part.removeAll()
        index += mark.count
      } else {
        part.append(scalars[index])
        index += 1
      }
    }
    return parts + [String(part)]
  }
}
