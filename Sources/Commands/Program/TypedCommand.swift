import LatchkeyModel

/// A command as it was typed: the names of its subcommands from `latchkey` on, and the rest.
struct TypedCommand {
  var path: [String]
  var rest: [String]

  init(_ arguments: [String]) {
    path = ArgumentHint.subcommand(arguments).path
    rest = Array(arguments.dropFirst(path.count - 1))
  }

  init(path: [String], _ rest: [String]) { (self.path, self.rest) = (path, rest) }

  /// The rest without options; what follows an option may be its value.
  var plain: [String] {
    rest.indices.filter { !rest[$0].hasPrefix("-") && ($0 == 0 || !rest[$0 - 1].hasPrefix("--")) }.map { rest[$0] }
  }

  /// The words that name the child or the family with an option, as they were typed.
  var owner: [String] {
    if rest.contains("--family") { return ["--family"] }
    if let word = rest.first(where: { $0.hasPrefix("--child=") }) { return [word] }
    guard let index = rest.firstIndex(of: "--child"), index + 1 < rest.count else { return [] }
    return ["--child", rest[index + 1]]
  }

  /// Returns the command with another rest, as a person types it.
  func command(_ rest: [String]) -> String { "`\(TypedWord.command(path + rest))`" }
}

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
