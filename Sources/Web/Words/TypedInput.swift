import Foundation
import LatchkeyModel
import LatchkeyRules

/// The translation of typed input, in English or another language, into the form that the rules
/// read.
///
/// In a page of any language, `Mo-Fr 1,5 Std` means the same as `mon-fri 1h30m`.
///
/// Spec: Protocol/15-pages.md §6.
enum TypedInput {
  /// The synonyms of the words that pages show, by the word that the rules read.
  private static let synonyms: [String: [String]] = [
    "mon": ["montag", "montags", "mondays"], "tue": ["dienstag", "dienstags", "tuesdays"],
    "wed": ["mittwoch", "mittwochs", "wednesdays"], "thu": ["donnerstag", "donnerstags", "thursdays"],
    "fri": ["freitag", "freitags", "fridays"], "sat": ["samstag", "samstags", "sonnabend", "saturdays"],
    "sun": ["sonntag", "sonntags", "sundays"], "h": ["stunde", "stunden", "std"], "min": ["minute", "minuten"],
    "none": ["kein", "keine", "keiner", "keines", "keins"], ",": ["und", "and"], "-": ["bis", "to"],
    "": ["uhr", "von", "from"], "within": ["zwischen", "between", "innerhalb"],
  ]

  /// Words that can mean no time at all or no limit.
  private static let unclear: Set<String> = ["never", "nothing", "without", "nie", "niemals", "nichts", "nix", "ohne"]

  /// The word of the rules for each typed word: for synonyms, and for the words that pages show in
  /// each language.
  private static let words: [String: String] = {
    var words: [String: String] = [:]
    for (word, others) in synonyms { for other in others { words[other] = word } }
    let shown: [(phrase: Phrase, word: String)] =
      Weekday.allCases.map { (PageClock.name($0), $0.word) } + [
        (Phrase("none"), "none"), (Phrase("{hours} h", ["hours": ""]), "h"),
        (Phrase("{minutes} min", ["minutes": ""]), "min"),
      ]
    for language in Language.all {
      for (phrase, word) in shown {
        let text = phrase.worded(in: language).lowercased().filter { $0.isLetter }
        if !text.isEmpty { words[text] = word }
      }
    }
    return words
  }()

  /// Returns times, limits or a duration in lower case, for the rules to read or refuse.
  ///
  /// - Throws: `RuleFault` for input that can be read in two ways.
  static func read(_ typed: String, isOfTimes: Bool = false) throws(RuleFault) -> String {
    if let word = typed.matches(of: /\p{L}+/).first(where: { unclear.contains($0.output.lowercased()) }) {
      let text: [String: Phrase.Argument] = ["text": .text(String(word.output))]
      throw isOfTimes
        ? RuleFault(Phrase("“{text}” can be read in two ways: write the times, or none for no such times.", text))
        : RuleFault(Phrase("“{text}” can be read in two ways: write 0 for no time at all, or none for no limit.", text))
    }
    if let match = unclearHours(typed), let minutes = Int(match.places) {
      throw RuleFault(
        Phrase(
          "“{text}” can be read in two ways: write it in hours and minutes, such as {example}.",
          ["text": .text(match.text), "example": .text("\(match.hours)h\(minutes)min")]))
    }
    return rule(typed)
  }

  /// Returns hours such as `1.30 h`, whose decimal places can be minutes or hundredths; `nil` if
  /// there are none.
  ///
  /// The places 00, 25 and 50 are quarters of an hour, and so hundredths. Places of 60 or more are
  /// hundredths as well.
  private static func unclearHours(_ typed: String) -> (text: String, hours: Substring, places: Substring)? {
    let text = replacingWords(typed.lowercased())
    for match in text.matches(of: /([\d.,]+)\s*h(?!\p{L})/) {
      guard let parts = match.1.wholeMatch(of: /(\d{1,3})[.,](\d\d)/), let places = Int(parts.2), places < 60,
        !places.isMultiple(of: 25)
      else { continue }
      return (String(match.1), parts.1, parts.2)
    }
    return nil
  }

  /// Returns times, limits or a duration with the words of the rules, in lower case.
  static func rule(_ typed: String) -> String {
    var text = typed.lowercased()
    for (other, plain) in [("–", "-"), ("—", "-"), ("\u{A0}", " "), ("\u{202F}", " "), (";", ",")] {
      text = text.replacing(other, with: plain)
    }
    // The “and” between the last two times is removed, because it has no meaning for the rules.
    text = text.replacing(
      /(zwischen|between|within|innerhalb)\s+(\d{1,2}:\d\d)\s*(?:und|and|bis|to|-)\s*(\d{1,2}:\d\d)/
    ) { "within \($0.2)-\($0.3)" }
    text = replacingWords(text)
    // The pattern takes all digits in a row, so that no part of `1000,5 h` is read alone.
    text = text.replacing(/([\d.,]+)\s*h(?![a-z])/) { match -> String in
      guard let parts = match.1.wholeMatch(of: /(\d{1,3})[.,](\d{1,2})/), let hours = Int(parts.1),
        let number = Int(parts.2)
      else { return String(match.0) }
      return "\(hours * 60 + ((parts.2.count == 1 ? number * 10 : number) * 60 + 50) / 100)min"
    }
    text = text.replacing(/(\d)\s*h\s*(\d{1,2})(?![\d:a-z]|\s*(?:m|h|s))/) { "\($0.1)h\($0.2)min" }
    text = text.replacing(/\s*-\s*/) { _ in "-" }.replacing(/\s*,\s*/) { _ in ", " }
    return text.split(separator: " ").joined(separator: " ")
  }

  /// Returns points such as `2,5` with a point before the decimal places.
  ///
  /// - Throws: `RuleFault` for input that can be read in two ways, such as `1.000`.
  static func points(_ typed: String) throws(RuleFault) -> String {
    let text = replacingWords(typed.lowercased())
    let quoted: [String: Phrase.Argument] = ["text": .text(String(typed.prefix(20)))]
    guard !unclear.contains(text) else {
      throw RuleFault(Phrase("“{text}” can be read in two ways: write 0 for no points.", quoted))
    }
    guard text.wholeMatch(of: /\s*[1-9]\d{0,2}[.,]\d{3}\s*/) == nil else {
      throw RuleFault(
        Phrase(
          "“{text}” can be read in two ways: write thousands without a mark, such as 1000, and at most two decimal places.",
          quoted))
    }
    return text.filter { $0 == "," || $0 == "." }.count == 1 ? text.replacing(",", with: ".") : text
  }

  /// Returns a day such as `2026-12-24` or `24.12.2026`; `nil` for anything else.
  static func day(_ typed: String) -> FamilyDay? {
    if let day = FamilyDay(typed) { return day }
    guard let match = typed.filter({ $0 != " " }).wholeMatch(of: /([0-9]{1,2})\.([0-9]{1,2})\.([0-9]{4})/) else {
      return nil
    }
    let parts = [match.2, match.1].map { $0.count == 1 ? "0\($0)" : "\($0)" }
    return FamilyDay("\(match.3)-\(parts[0])-\(parts[1])")
  }

  /// Returns a text with each word of another language replaced by the rules' word.
  ///
  /// A point behind an abbreviation is left out.
  private static func replacingWords(_ text: String) -> String {
    text.replacing(/(\p{L}+)(\.?)/) { match in
      let word = String(match.1)
      return words[word] ?? (word + match.2)
    }
  }
}

/// The values of rules as people type them, in the language of the page, for its fields.
enum ShownInput {
  private static let weekdays: [Phrase] = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"]

  /// Returns times of the week, such as `mon-fri 20:00-07:00, sat 21:00-08:00`, in words.
  static func windows(_ text: String) -> Phrase { items(text) { Phrase(verbatim: $0) } }

  /// Returns limits by weekday, such as `mon-fri 90, sat 120`, in words.
  static func limits(_ text: String) -> Phrase {
    items(text) { value in Int(value).map { SpanText.phrase(minutes: $0) } ?? Phrase(verbatim: value) }
  }

  /// Returns a number of minutes such as `90min` in words.
  ///
  /// Any other text stays as it is.
  static func span(_ text: String) -> Phrase {
    SpanReader.minutes(text).map { SpanText.phrase(minutes: $0) } ?? Phrase(verbatim: text)
  }

  private static func items(_ text: String, _ word: (String) -> Phrase) -> Phrase {
    let parts = text.components(separatedBy: ", ").map { item($0, word) }
    guard let last = parts.last else { return Phrase(verbatim: text) }
    return parts.dropLast().reversed().reduce(last) { rest, part in
      Phrase("{first}, {rest}", ["first": .phrase(part), "rest": .phrase(rest)])
    }
  }

  private static func item(_ text: String, _ word: (String) -> Phrase) -> Phrase {
    if text == "none" { return Phrase("none") }
    let words = text.split(separator: " ", maxSplits: 1).map(String.init)
    guard words.count == 2 else { return word(text) }
    let days = words[0].split(separator: "-").compactMap { Weekday(word: String($0)) }
    guard let first = days.first, let last = days.last, days.count <= 2 else { return word(text) }
    var arguments: [String: Phrase.Argument] = [
      "day": .phrase(weekdays[first.rawValue]), "time": .phrase(word(words[1])),
    ]
    if days.count == 1 { return Phrase("{day} {time}", arguments) }
    arguments["last"] = .phrase(weekdays[last.rawValue])
    return Phrase("{day}-{last} {time}", arguments)
  }
}
