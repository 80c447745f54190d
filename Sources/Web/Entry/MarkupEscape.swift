/// The escape of text for elements and quoted attributes of a page.
///
/// It looks at each Unicode scalar. A quote with a combining mark behind it (U+0301, U+200D) is one
/// character of Swift, and an escape that compares characters lets it through: a browser still
/// reads the quote, and the attribute ends there.
enum MarkupEscape {
  /// Returns the text with every scalar that has a meaning in HTML replaced.
  ///
  /// Scalars that HTML does not permit become U+FFFD, and so do those that turn the direction of
  /// the text around them: a name must not reorder the sentence in which it stands.
  ///
  /// - Parameter text: Text that a person typed, or any other.
  /// - Returns: Text without markup.
  static func escape(_ text: String) -> String {
    var escaped = ""
    escaped.reserveCapacity(text.utf8.count)
    for scalar in text.unicodeScalars {
      switch scalar {
      case "&": escaped += "&amp;"
      case "<": escaped += "&lt;"
      case ">": escaped += "&gt;"
      case "\"": escaped += "&quot;"
      case "'": escaped += "&#39;"
      case "\t", "\n", "\r": escaped.unicodeScalars.append(scalar)
      case _ where isForbidden(scalar.value): escaped += "\u{FFFD}"
      default: escaped.unicodeScalars.append(scalar)
      }
    }
    return escaped
  }

  private static func isForbidden(_ value: UInt32) -> Bool {
    switch value {
    // Controls.
    case 0..<0x20, 0x7F..<0xA0: true
    // Marks that embed, override or isolate a direction.
    case 0x202A...0x202E, 0x2066...0x2069: true
    default: value & 0xFFFE == 0xFFFE || (0xFDD0...0xFDEF).contains(value)
    }
  }
}
