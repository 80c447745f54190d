import CTerminal
import Glibc

/// Text cut into lines that fit a terminal.
enum WrappedText {
  /// Returns a text without line ends cut at spaces, and within words that are longer than a line.
  ///
  /// A line has at least 2 columns.
  static func lines(_ text: String, columns: Int) -> [String] {
    filled(words(of: text).flatMap { cut($0, max(2, columns)) }, joint: " ", columns)
  }

  /// Returns the words of a line; two groups of three digits, which people compare, are one.
  private static func words(of line: some StringProtocol) -> [String] {
    func isGroup(_ word: some StringProtocol) -> Bool { word.count >= 3 && word.prefix(3).allSatisfy(\.isNumber) }
    return line.split(separator: " ", omittingEmptySubsequences: false).reduce(into: []) { words, word in
      if let last = words.last, last.count == 3, isGroup(last), isGroup(word),
        word.dropFirst(3).allSatisfy({ !$0.isNumber })
      {
        words[words.count - 1] = last + " " + word
      } else {
        words.append(String(word))
      }
    }
  }

  /// Returns a text of any number of lines with long ones broken at spaces.
  ///
  /// A word that is longer than a line stays whole, so that it can be copied.
  static func words(_ text: String, columns: Int) -> String {
    text.split(separator: "\n", omittingEmptySubsequences: false).map { line in
      guard TerminalWidth.of(line) > columns else { return String(line) }
      return filled(words(of: line), joint: " ", columns).joined(separator: "\n")
    }.joined(separator: "\n")
  }

  /// Returns a code cut after the dashes between its groups.
  static func groups(_ code: String, columns: Int) -> [String] {
    var groups = code.split(separator: "-").map { "\($0)-" }
    if let last = groups.popLast() { groups.append(String(last.dropLast())) }
    return filled(groups.flatMap { cut($0, max(2, columns)) }, joint: "", columns)
  }

  /// Returns lines with as many of the pieces each as fit.
  private static func filled(_ pieces: [String], joint: String, _ columns: Int) -> [String] {
    pieces.reduce(into: []) { lines, piece in
      if let begun = lines.last, TerminalWidth.of(begun) + joint.count + TerminalWidth.of(piece) <= columns {
        lines[lines.count - 1] = begun + joint + piece
      } else {
        lines.append(piece)
      }
    }
  }

  private static func cut(_ word: String, _ columns: Int) -> [String] {
    guard TerminalWidth.of(word) > columns else { return [word] }
    var parts: [String] = []
    var part = ""
    for character in word {
      if !part.isEmpty, TerminalWidth.of(part) + TerminalWidth.of(String(character)) > columns {
        parts.append(part)
        part = ""
      }
      part.append(character)
    }
    return parts + [part]
  }
}

/// The columns that text takes on a terminal: whatever is aligned, wrapped or cut is measured here.
///
/// A terminal shows a character, in the sense of Unicode's grapheme clusters, in as many columns as
/// its parts have by the C library: two for Chinese letters and most emoji, none for combining
/// marks. What Unicode joins to one picture takes two: flags, emoji with a skin tone or a variation
/// selector, and emoji that are joined. A terminal that does not join them takes more.
enum TerminalWidth {
  /// Returns the number of columns of a text without line ends.
  static func of(_ text: some StringProtocol) -> Int {
    // Most texts have nothing else, and need no locale.
    if text.utf8.allSatisfy({ $0 < 0x80 }) { return text.utf8.count }
    let previous = uselocale(locale)
    defer { uselocale(previous) }
    return text.reduce(0) { $0 + columns($1) }
  }

  /// The C library's tables of characters in no person's language; `nil` if there are none.
  private static var locale: locale_t? { locale_t(bitPattern: created) }
  private static let created = UInt(bitPattern: newlocale(1 << LC_CTYPE, "C.UTF-8", nil))

  private static func columns(_ character: Character) -> Int {
    let scalars = character.unicodeScalars
    let sum = scalars.reduce(0) { $0 + columns($1) }
    guard scalars.count > 1, let first = scalars.first else { return sum }
    let isPicture = scalars.contains {
      // The last ends the tags of a region's flag.
      $0 == "\u{FE0F}" || $0 == "\u{200D}" || $0.properties.isEmojiModifier || $0 == "\u{E007F}"
    }
    return isPicture && first.properties.isEmoji ? 2 : sum
  }

  private static func columns(_ scalar: Unicode.Scalar) -> Int {
    if scalar.isASCII { return 1 }
    let width = latchkey_columns(scalar.value)
    // The tables are older than the emoji.
    return width >= 0 ? Int(width) : scalar.properties.isEmojiPresentation ? 2 : 1
  }
}
