import ArgumentParser

/// The help of a command that has subcommands, asked for together with an option.
enum GroupHelp {
  /// Returns the arguments that ask for the help of the command itself, which lists its
  /// subcommands; other arguments as they are.
  ///
  /// With an option before it, the parser takes `--help` for that of the subcommand that is used
  /// without a name.
  static func arguments(for arguments: [String]) -> [String] {
    let typed = arguments.prefix { $0 != "--" }
    guard typed.contains(where: { ["--help", "-h"].contains($0) }) else { return arguments }
    var type: any ParsableCommand.Type = LatchkeyTool.self
    var path: [String] = []
    for argument in typed {
      guard let next = children(of: type).first(where: { $0.configuration.commandName == argument }) else { break }
      type = next
      path.append(argument)
    }
    let rest = typed.dropFirst(path.count)
    let names = Set(children(of: type).compactMap { $0.configuration.commandName })
    guard !path.isEmpty, !names.isEmpty, rest.first?.hasPrefix("-") == true, rest.allSatisfy({ !names.contains($0) })
    else { return arguments }
    return path + ["--help"]
  }

  private static func children(of type: any ParsableCommand.Type) -> [any ParsableCommand.Type] {
    type.configuration.subcommands + type.configuration.groupedSubcommands.flatMap(\.subcommands)
  }
}
