/// A code as it comes in: in one line, or in the several that a screen has broken the long form into.
struct CodeInput: Sendable {
  /// The input so far.
  private(set) var text = ""

  /// Characters of a long code beside its dashes, without and with an address.
  ///
  /// Spec: Protocol/03-pairing.md §2.
  private static let lengths = [69, 78]
  /// The characters of the QR code that a selection of the screen may include.
  private static let picture: Set<Character> = ["█", "▀", "▄"]

  /// The message while a code is incomplete.
  static let goesOn = "The code goes on: paste or type its next line, or press Enter to leave it at that."

  /// Adds a line of input.
  ///
  /// - Parameters:
  ///   - line: The line.
  ///   - leaves: Whether an empty line ends the input.
  /// - Returns: `true` if the input so far is worth examining.
  mutating func takes(_ line: String, leaves: Bool) -> Bool {
    let rest = String(line.filter { !Self.picture.contains($0) })
    guard rest.contains(where: { !$0.isWhitespace }) else {
      return leaves && rest.count == line.count && !text.isEmpty
    }
    // A new code begins, so the earlier input is discarded.
    text = Self.compact(rest)?.hasPrefix("LK1") == true ? rest : text + rest
    return !isBeginning
  }

  /// A Boolean value that indicates whether the input is the incomplete beginning of a long code.
  var isBeginning: Bool {
    guard let symbols = Self.compact(text), symbols.hasPrefix("LK1"), let longest = Self.lengths.last else {
      return false
    }
    return text.utf8.count <= LineEditor.lineBytes && symbols.utf8.count < longest
      && !Self.lengths.contains(symbols.utf8.count)
  }

  /// Returns the symbols without dashes and white space, in capitals; `nil` if the text is not a code.
  private static func compact(_ text: String) -> String? {
    let symbols = text.uppercased().filter { !$0.isWhitespace && !"-\u{2010}\u{2011}\u{2013}".contains($0) }
    return symbols.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x41...0x5A).contains($0) } ? symbols : nil
  }
}
