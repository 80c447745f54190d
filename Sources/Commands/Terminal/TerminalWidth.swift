import CTerminal
import Glibc

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

  /// The C library's tables of characters, independent of the person's language; `nil` if there are
  /// none.
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
