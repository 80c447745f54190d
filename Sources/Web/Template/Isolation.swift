/// The isolation of names and other texts that people and machines gave, so that one that is
/// written from right to left does not reorder the sentence in which it stands.
///
/// While a page is made, two marks stand around such a text, which become U+FFFD in texts that are
/// given. `MarkupEscape` makes an element `bdi` of them where markup may stand.
///
/// Spec: Protocol/15-pages.md §3.
enum Isolation {
  static let start: Unicode.Scalar = "\u{2068}"
  static let end: Unicode.Scalar = "\u{2069}"
  /// What the escape makes of the marks.
  static let (startEntity, endEntity) = ("&#8296;", "&#8297;")

  /// Returns a text between the marks if it has characters that are written from right to left.
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

  /// Returns escaped text without tags, with an element for each pair of marks; with marks that are
  /// in no pairs, the text as it is.
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

  /// Returns whether a scalar is in a block of scripts that are written from right to left, or is a
  /// mark of that direction.
  private static func isRightToLeft(_ value: UInt32) -> Bool {
    switch value {
    case 0x590...0x8FF, 0x200F, 0xFB1D...0xFDFF, 0xFE70...0xFEFF, 0x10800...0x10FFF, 0x1E800...0x1EFFF: true
    default: false
    }
  }
}
