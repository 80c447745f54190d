/// Texts of an attacker, and harmless texts that resemble them.
public enum HostileText {
  /// Characters that end, cut, hide, steer or turn a text around, and harmless ones of many
  /// scripts.
  private static let scalars: [Unicode.Scalar] = [
    "\0", "\u{1}", "\u{7}", "\u{8}", "\t", "\n", "\r", "\u{1B}", "\u{7F}", "\u{80}", "\u{85}", "\u{9B}", "\u{9F}",
    "\u{200B}", "\u{200D}", "\u{200E}", "\u{200F}", "\u{202A}", "\u{202E}", "\u{2028}", "\u{2029}", "\u{2066}",
    "\u{2069}", "\u{FEFF}", "\u{FFFD}", "\u{FFFF}", "\u{E000}", "\u{10FFFF}", "a", "Z", "0", "/", "+", "-", "_", ".",
    " ", "'", "\"", ";", "%", "\\", "ä", "\u{301}", "\u{5D0}", "\u{627}", "漢", "🦉", "👩", "\u{FE0F}",
  ].compactMap { $0 }

  /// A text of at most `length` such characters.
  public static func text(_ length: Int, _ random: inout SeededRandom) -> String {
    var text = String.UnicodeScalarView()
    // Most are harmless except for one character, which must decide.
    let isMild = random.once(in: 2)
    for _ in 0..<random.below(length + 1) { text.append(isMild ? "x" : random.pick(scalars)) }
    if isMild { text.append(random.pick(scalars)) }
    return String(text)
  }

  /// Bytes that are no UTF-8: cut short, overlong, a surrogate, or beyond the last character.
  public static let bytes: [[UInt8]] = [
    [0xFF], [0x61, 0x80], [0xC3], [0xC0, 0x80], [0xE2, 0x82], [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80],
    [0xF0, 0x9F, 0xA6], [0x61, 0xFE, 0x62],
  ]
}
