import ArgumentParser
import LatchkeyModel

/// Finds a subcommand that is not there, and suggests what may have been meant.
enum SubcommandSpelling {
  /// Returns what is wrong with the subcommands that arguments begin with; `nil` if nothing is, or if the parser knows better.
  ///
  /// What was typed is not repeated: it may be a pairing code.
  static func fault(in arguments: [String]) -> String? {
    var type: any ParsableCommand.Type = LatchkeyTool.self
    var path = "latchkey"
    for argument in arguments {
      let children = type.configuration.subcommands + type.configuration.groupedSubcommands.flatMap(\.subcommands)
      guard !children.isEmpty, !argument.hasPrefix("-"), argument != "help" else { return nil }
      if let next = children.first(where: { $0.configuration.commandName == argument }) {
        type = next
        path += " " + argument
        continue
      }
      // The text of a message is no subcommand.
      if type is MessageSubcommand.Type { return nil }
      let names = children.compactMap { $0.configuration.commandName }
      let question = Spelling.question(for: argument, among: names) { name in "`\(path) \(name)`" }
      if !question.isEmpty { return "There is no such subcommand of `\(path)`. \(question)" }
      // `latchkey pair` says what to do with a code that was given to it.
      return type is PairSubcommand.Type
        ? nil : "There is no such subcommand of `\(path)`: `\(path) --help` lists those there are."
    }
    return nil
  }
}
