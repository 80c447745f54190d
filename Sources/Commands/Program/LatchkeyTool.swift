import ArgumentParser
import LatchkeyModel

/// The root of the command line.
struct LatchkeyTool: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "latchkey", abstract: "Keep a family's machines in step, without a cloud.",
    discussion: """
      A parent's machine sets rules for applications on a child's machine and sees how they are used. The machines find \
      each other on the network, are paired by a code, and talk encrypted.

      Start on each machine with `latchkey setup`, or with `latchkey init` and then `latchkey run`, which is left running. Then \
      run `latchkey pair` on both.

      A machine is named by its name, by its child's name, or by a beginning of one that fits no other machine.

      The state is kept in --state-dir, else in $LATCHKEY_STATE_DIR, else in $XDG_STATE_HOME/latchkey or \
      ~/.local/state/latchkey. Where the machine's own service runs, commands without either talk to that.
      """, version: Version.software,
    groupedSubcommands: [
      CommandGroup(
        name: "This machine",
        subcommands: [
          SetupSubcommand.self, InitSubcommand.self, RunSubcommand.self, StatusSubcommand.self, DoctorSubcommand.self,
          MetricsSubcommand.self, IdentitySubcommand.self,
        ]),
      CommandGroup(
        name: "The family's children",
        subcommands: [
          ChildrenSubcommand.self, AccountsSubcommand.self, RulesSubcommand.self, LimitSubcommand.self,
          BedtimeSubcommand.self, TimesSubcommand.self, BreaksSubcommand.self, DaysSubcommand.self, LockSubcommand.self,
          UnlockSubcommand.self, RequestsSubcommand.self, ApproveSubcommand.self, DenySubcommand.self,
          AskSubcommand.self, PointsSubcommand.self, RedeemSubcommand.self, RefundSubcommand.self,
        ]),
      CommandGroup(
        name: "The family's machines",
        subcommands: [PairSubcommand.self, DevicesSubcommand.self, NearbySubcommand.self]),
      CommandGroup(name: "Waiting for delivery", subcommands: [QueueSubcommand.self, SyncSubcommand.self]),
      CommandGroup(
        name: "Rules",
        subcommands: [
          AppSubcommand.self, AppsSubcommand.self, GrantSubcommand.self, SettingsSubcommand.self,
          MessageSubcommand.self, MessagesSubcommand.self, ReportSubcommand.self, CommandsSubcommand.self,
        ]),
      CommandGroup(
        name: "Use",
        subcommands: [
          TodaySubcommand.self, MeSubcommand.self, DashboardSubcommand.self, WebSubcommand.self, WidgetSubcommand.self,
          NoticesSubcommand.self, NotifySubcommand.self, ReceiversSubcommand.self, BrowsersSubcommand.self,
          BridgeSubcommand.self, ExplainSubcommand.self, UsageSubcommand.self,
        ]),
    ])
}

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
  /// It is `nil` if `LatchkeyTool` has to parse the arguments. Commands above it have no options of
  /// their own, so that they need not be parsed.
  static func parsed(_ arguments: [String]) async -> (any AsyncParsableCommand)? {
    guard !arguments.contains(where: isOfTheWholeProgram) else { return nil }
    let (type, path) = ArgumentHint.subcommand(arguments)
    guard path.count > 1 else { return nil }
    // The parser gets the last name of the path and what follows it.
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

/// The help of a command that has subcommands, asked for together with an option.
enum GroupHelp {
  /// Returns the arguments that ask for the help of the command itself; others as they are.
  ///
  /// After an option, the parser takes `--help` for that of the default subcommand.
  static func arguments(for arguments: [String]) -> [String] {
    let typed = Array(arguments.prefix { $0 != "--" })
    guard typed.contains(where: { ["--help", "-h"].contains($0) }) else { return arguments }
    let (type, path) = ArgumentHint.subcommand(typed)
    let rest = typed.dropFirst(path.count - 1)
    let names = Set(type.below.compactMap { $0.configuration.commandName })
    guard path.count > 1, !names.isEmpty, rest.first?.hasPrefix("-") == true, rest.allSatisfy({ !names.contains($0) })
    else { return arguments }
    return path.dropFirst() + ["--help"]
  }
}
