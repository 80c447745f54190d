import LatchkeyModel

/// The words of a command that a person has typed, as they are shown again.
enum TypedWord {
  /// Returns a word so that a shell reads it as one word without a change; `…` for one that a
  /// terminal cannot show as it is.
  static func quoted(_ word: String) -> String {
    if word.wholeMatch(of: /[A-Za-z0-9._:=+,@%\/-]+/) != nil { return word }
    guard PrintableText.of(word) == word else { return "…" }
    // In double quotes, these mean something to a shell; in single quotes, nothing does.
    guard word.contains(where: { "\"$`\\!".contains($0) }) else { return "\"\(word)\"" }
    return "'" + word.replacing("'", with: "'\\''") + "'"
  }

  /// Returns a whole command that a person can type.
  static func command(_ words: [String]) -> String { words.map(quoted).joined(separator: " ") }
}
