import ArgumentParser

/// A root of the command line that has one subcommand, for arguments that are right.
///
/// For each type that it meets, the parser asks what the type conforms to, and each answer is found
/// by reading through all conformances of the program. With this root the parser meets the types of
/// the command that was named and no others. Arguments that it does not accept, and those that ask
/// for help, the version or a shell's script, are parsed with `LatchkeyTool`, whose messages people
/// read.
struct NamedCommand: AsyncParsableCommand {
  @TaskLocal private static var named: any ParsableCommand.Type = LatchkeyTool.self

  static var configuration: CommandConfiguration {
    // The parser looks for options that ask for a shell's script unless there is a super-command.
    CommandConfiguration(commandName: "latchkey", _superCommandName: "latchkey", subcommands: [named], helpNames: [])
  }

  /// Returns the command that arguments name, with their values.
  ///
  /// Commands above it have no options of their own, so that they need not be parsed.
  ///
  /// - Parameter arguments: The arguments without the program's own name.
  /// - Returns: The command; `nil` if `LatchkeyTool` has to parse the arguments.
  static func parsed(_ arguments: [String]) async -> (any AsyncParsableCommand)? {
    guard !arguments.contains(where: isOfTheWholeProgram) else { return nil }
    let (type, path) = ArgumentHint.subcommand(arguments)
    guard path.count > 1 else { return nil }
    // Of the path, the parser is given the last name, which follows the others' in the arguments.
    let rest = Array(arguments.dropFirst(path.count - 2))
    do {
      let command = try await $named.withValue(type) { try await asyncParseAsRoot(rest) }
      return asynchronous(command)
    } catch { return nil }
  }

  /// Returns whether an argument may ask for something that every command has.
  private static func isOfTheWholeProgram(_ argument: String) -> Bool {
    argument == "-h"
      || ["--help", "-help", "--version", "--generate-completion-script", "--experimental", "---"].contains {
        argument.hasPrefix($0)
      }
  }

  /// Returns a command of ours, which the parser's own, such as its help, are not.
  private static func asynchronous<Command: ParsableCommand>(_ command: Command) -> (any AsyncParsableCommand)? {
    command as? any AsyncParsableCommand
  }
}
