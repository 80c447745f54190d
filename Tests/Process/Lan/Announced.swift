/// An announcement as `avahi-browse --resolve --parsable` prints it.
struct Announced: Hashable, Sendable {
  var instance: String
  var host: String
  var address: String
  var text: [String]

  /// Returns all resolved announcements.
  ///
  /// A last line without its end is left out, since it is still being written.
  static func read(_ output: String) -> [Announced] {
    let lines = output.split(separator: "\n")
    return lines.dropLast(output.hasSuffix("\n") ? 0 : 1).compactMap { line in
      // Values may contain `;`, so the pairs are the text after the ninth one.
      let fields = line.split(separator: ";", maxSplits: 9, omittingEmptySubsequences: false).map(String.init)
      guard fields.count == 10, fields[0] == "=", fields[7].contains(".") else { return nil }
      return Announced(instance: fields[3], host: fields[6], address: fields[7], text: pairs(fields[9]))
    }
  }

  /// Pairs stand in quotation marks with blanks between them; what a value itself holds is escaped.
  private static func pairs(_ text: String) -> [String] {
    var pairs: [String] = []
    var rest = text[...]
    while let begin = rest.firstIndex(of: "\""), let end = end(of: rest[rest.index(after: begin)...]) {
      pairs.append(String(rest[begin...end]))
      rest = rest[rest.index(after: end)...]
    }
    return pairs
  }

  private static func end(of text: Substring) -> String.Index? {
    var index = text.startIndex
    while index < text.endIndex, text[index] != "\"" {
      index = text.index(index, offsetBy: text[index] == "\\" ? 2 : 1, limitedBy: text.endIndex) ?? text.endIndex
    }
    return index < text.endIndex ? index : nil
  }
}
