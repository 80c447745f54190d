/// An argument's pattern that is a plain word, which a person may also give to an editor or a
/// shell.
enum PlainPattern {
  /// Returns a sentence on a matcher whose pattern fits what else has the word among its arguments;
  /// `nil` for another matcher.
  static func warning(_ matcher: String) -> String? {
    guard let pattern = matcher.wholeMatch(of: /argument (.+)/)?.output.1 else { return nil }
    let word = pattern.split { $0 == "*" || $0 == "?" }.max { $0.utf8.count < $1.utf8.count } ?? ""
    guard !word.isEmpty, word.utf8.allSatisfy(isOfWord) else { return nil }
    return
      "“\(pattern)” also closes an editor or a shell that has the word among its arguments, such as `nano \(word)`: give more of "
      + "the command line that starts it, such as --matcher \"argument java -jar *\(word)\"."
  }

  private static func isOfWord(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x5F: true
    default: false
    }
  }
}
