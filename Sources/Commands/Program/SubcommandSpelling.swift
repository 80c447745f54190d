import ArgumentParser
import LatchkeyModel

/// Finds a subcommand that is not there, and suggests what may have been meant.
enum SubcommandSpelling {
  /// Returns a sentence about an unknown subcommand; `nil` if there is none, or if the parser has a
  /// better message.
  ///
  /// It does not repeat the typed text, which may be a pairing code.
  ///
  /// - Parameter arguments: The arguments of the program.
  /// - Returns: The fault and the next step.
  static func fault(in arguments: [String]) -> String? {
    var type: any ParsableCommand.Type = LatchkeyTool.self
    var path = "latchkey"
    for (index, argument) in arguments.enumerated() {
      let children = type.configuration.subcommands + type.configuration.groupedSubcommands.flatMap(\.subcommands)
      guard !children.isEmpty, !argument.hasPrefix("-"), argument != "help" else { return nil }
      if let next = children.first(where: { $0.configuration.commandName == argument }) {
        type = next
        path += " " + argument
        continue
      }
      // The text of a message is no subcommand.
      if type is MessageSubcommand.Type { return nil }
      // Nor is a child's name, which stands alone.
      let isAlone = !arguments[(index + 1)...].contains { !$0.hasPrefix("-") }
      if type is PointsSubcommand.Type, isAlone || arguments[index + 1].hasPrefix("--") { return nil }
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
