import ArgumentParser

/// The script with which bash completes commands.
enum CompletionScript {
  /// Returns the script in which a command without the name of a subcommand is completed as its
  /// default one, as the parser takes it; any other text as it is.
  ///
  /// The argument parser's script offers the names of subcommands alone after such a command, as
  /// after `latchkey sync --on`.
  static func completed(_ text: String) -> String {
    guard text.contains("__latchkey_offer_flags_options() {") else { return text }
    return adding(LatchkeyTool.self, ["_latchkey"], to: text)
  }

  private static func adding(_ type: any ParsableCommand.Type, _ path: [String], to text: String) -> String {
    let subcommands = type.configuration.subcommands + type.configuration.groupedSubcommands.flatMap(\.subcommands)
    var text = text
    for subcommand in subcommands {
      guard let name = subcommand.configuration.commandName else { continue }
      text = adding(subcommand, path + [name], to: text)
    }
    guard let name = type.configuration.defaultSubcommand?.configuration.commandName else { return text }
    let names = subcommands.compactMap { $0.configuration.commandName } + ["-h", "--help", "--version"]
    let head = "\n\(path.joined(separator: "_"))() {\n"
    let step = """
          # Words without the name of a subcommand are those of \(name).
          case "${unparsed_words[0]}" in
          \(names.joined(separator: "|"))) ;;
          *) [[ "${#unparsed_words[@]}" -gt 1 ]] && unparsed_words=(\(name) "${unparsed_words[@]}") ;;
          esac

      """
    return text.replacing(head, with: head + step)
  }
}
