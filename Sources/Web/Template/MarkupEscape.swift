/// The escape of text for elements and quoted attributes of a page.
///
/// It checks each Unicode scalar. In Swift, a quote with a combining mark behind it (U+0301,
/// U+200D) is one character, which an escape that compares characters does not replace. A browser
/// still reads the quote, and the attribute ends there.
enum MarkupEscape {
  /// Returns the text with every scalar replaced that has a meaning in HTML.
  ///
  /// Scalars that HTML does not permit become U+FFFD. So do scalars that change the direction of
  /// the text around them, because a name must not reorder the sentence around it.
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
      case "`": escaped += backtick
      case Isolation.start: escaped += Isolation.startEntity
      case Isolation.end: escaped += Isolation.endEntity
      case "\t", "\n", "\r": escaped.unicodeScalars.append(scalar)
      case _ where isForbidden(scalar.value): escaped += "\u{FFFD}"
      default: escaped.unicodeScalars.append(scalar)
      }
    }
    return escaped
  }

  /// The escaped form of a backtick in a text.
  ///
  /// A template has none.
  private static let backtick = "&#96;"
  /// The elements whose content is only text.
  private static let texts: Set<String> = ["option", "script", "style", "textarea", "title"]
  /// The elements whose text is shown and cannot contain an element `bdi`: titles, and texts of
  /// drawings.
  private static let isolated: Set<String> = ["title", "text", "tspan", "desc"]

  /// Returns a page of escaped values with elements inserted: `code` around text between two
  /// backticks of one text, such as a command, and `bdi` around text between the marks of
  /// `Isolation`.
  ///
  /// In attributes, and in elements whose content is only text, backticks stay and the marks are
  /// left out, because these places also have the values that a form sends.
  static func marked(_ html: String) -> String {
    guard html.contains(backtick) || html.contains(Isolation.startEntity) else { return html }
    var page = ""
    for (number, part) in html.split(separator: "<", omittingEmptySubsequences: false).enumerated() {
      // A tag follows each `<`, and after it text up to the next one.
      guard number > 0, let end = part.firstIndex(of: ">") else {
        page += (number > 0 ? "<" : "") + part
        continue
      }
      let name = part[..<end].prefix { $0.isLetter || $0 == "/" }.lowercased()
      let text = part[part.index(after: end)...]
      page += "<" + Isolation.removed(from: part[...end])
      if texts.contains(name) || isolated.contains(name) {
        page += isolated.contains(name) ? String(text) : Isolation.removed(from: text)
      } else {
        page += pieces(text)
      }
    }
    return page
  }

  /// Returns a text without tags in which each pair of backticks is an element `code`, and each
  /// pair of marks an element `bdi`.
  private static func pieces(_ text: Substring) -> String {
    var pieces = text.components(of: backtick)
    // A single backtick stays.
    if pieces.count.isMultiple(of: 2), let last = pieces.popLast() { pieces[pieces.count - 1] += backtick + last }
    return pieces.map(Isolation.elements).enumerated().map { number, piece in
      number.isMultiple(of: 2) ? piece : "<code>\(piece)</code>"
    }.joined()
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

extension Substring {
  /// Returns the parts between the occurrences of a separator, including empty parts.
  fileprivate func components(of separator: String) -> [String] {
    var (parts, rest): ([String], Substring) = ([], self)
    while let range = rest.firstRange(of: separator) {
      parts.append(String(rest[..<range.lowerBound]))
      rest = rest[range.upperBound...]
    }
    return parts + [String(rest)]
  }
}

/// The isolation of names and other texts of people and machines, so that a text that is written
/// from right to left does not reorder the sentence around it.
///
/// While a page is made, two marks enclose such a text. In the text itself, these marks become
/// U+FFFD. `MarkupEscape` turns the marks into an element `bdi` where markup is permitted.
///
/// Spec: Protocol/15-pages.md §3.
enum Isolation {
  static let start: Unicode.Scalar = "\u{2068}"
  static let end: Unicode.Scalar = "\u{2069}"
  /// The escaped forms of the marks.
  static let (startEntity, endEntity) = ("&#8296;", "&#8297;")

  /// Returns a text, enclosed in the marks if it has characters that are written from right to
  /// left.
  static func marking(_ text: String) -> String {
    let scalars = text.unicodeScalars
    let isMarked = scalars.contains { isRightToLeft($0.value) }
    guard isMarked || scalars.contains(start) || scalars.contains(end) else { return text }
    var safe = String.UnicodeScalarView()
    if isMarked { safe.append(start) }
    for scalar in scalars { safe.append(scalar == start || scalar == end ? "\u{FFFD}" : scalar) }
    if isMarked { safe.append(end) }
    return String(safe)
  }

  /// Returns escaped text without tags, with an element for each pair of marks.
  ///
  /// If marks are not in pairs, it returns the text unchanged.
  static func elements(in text: String) -> String {
    guard text.contains(startEntity) || text.contains(endEntity) else { return text }
    var depth = 0
    for match in text.matches(of: /&#829[67];/) {
      depth += match.output == startEntity ? 1 : -1
      if depth < 0 { return text }
    }
    return depth == 0 ? text.replacing(startEntity, with: "<bdi>").replacing(endEntity, with: "</bdi>") : text
  }

  /// Returns escaped text without the marks.
  static func removed(from text: some StringProtocol) -> String {
    String(text).replacing(startEntity, with: "").replacing(endEntity, with: "")
  }

  /// Returns whether a scalar is in a block of a right-to-left script, or is a mark of that
  /// direction.
  private static func isRightToLeft(_ value: UInt32) -> Bool {
    switch value {
    case 0x590...0x8FF, 0x200F, 0xFB1D...0xFDFF, 0xFE70...0xFEFF, 0x10800...0x10FFF, 0x1E800...0x1EFFF: true
    default: false
    }
  }
}
