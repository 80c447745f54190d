import ArgumentParser

/// The command `latchkey app`.
struct AppCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "app", abstract: "Set the rules for an application on a child's machine.",
    discussion: "Example: latchkey app set org.gnome.Chess --on \"Emma's PC\" --category reward --points-per-minute 2",
    subcommands: [AppSetCommand.self, AppRemoveCommand.self])
}
