/// Text cut into lines that fit a terminal.
enum WrappedText {
  /// How many columns a text takes at most.
  ///
  /// What is not ASCII may take two, and how many it takes differs among terminals.
  static func width(_ text: some StringProtocol) -> Int {
    text.unicodeScalars.reduce(0) { $0 + ($1.isASCII || $1 == "“" || $1 == "”" || $1 == "…" || $1 == "–" ? 1 : 2) }
  }

  /// Cut at spaces, and within a word that fits no line.
  ///
  /// - Parameters:
  ///   - text: without line ends.
  ///   - columns: 2 at least.
  static func lines(_ text: String, columns: Int) -> [String] {
    pieces(text.split(separator: " ", omittingEmptySubsequences: false).map(String.init), joint: " ", columns)
  }

  /// Break lines that are too long at spaces.
  ///
  /// A word that fits no line stays whole, so that it can be copied.
  ///
  /// - Parameters:
  ///   - text: of any number of lines.
  ///   - columns: of the terminal.
  static func words(_ text: String, columns: Int) -> String {
    text.split(separator: "\n", omittingEmptySubsequences: false).map { line in
      guard width(line) > columns else { return String(line) }
      return line.split(separator: " ", omittingEmptySubsequences: false).reduce(into: [String]()) { lines, word in
        if let begun = lines.last, width(begun) + 1 + width(word) <= columns {
          lines[lines.count - 1] = begun + " " + word
        } else {
          lines.append(String(word))
        }
      }.joined(separator: "\n")
    }.joined(separator: "\n")
  }

  /// Cut a code after the dashes between its groups.
  static func groups(_ code: String, columns: Int) -> [String] {
    var groups = code.split(separator: "-").map { "\($0)-" }
    if let last = groups.popLast() { groups.append(String(last.dropLast())) }
    return pieces(groups, joint: "", columns)
  }

  private static func pieces(_ pieces: [String], joint: String, _ columns: Int) -> [String] {
    var lines: [String] = []
    var line: String?
    for piece in pieces.flatMap({ cut($0, max(2, columns)) }) {
      if let begun = line, width(begun) + width(joint) + width(piece) <= columns {
        line = begun + joint + piece
      } else {
        if let begun = line { lines.append(begun) }
        line = piece
      }
    }
    return lines + (line.map { [$0] } ?? [])
  }

  private static func cut(_ word: String, _ columns: Int) -> [String] {
    guard width(word) > columns else { return [word] }
    var parts: [String] = []
    var part = ""
    for character in word {
      if !part.isEmpty, width(part) + width(String(character)) > columns {
        parts.append(part)
        part = ""
      }
      part.append(character)
    }
    return parts + [part]
  }
}
