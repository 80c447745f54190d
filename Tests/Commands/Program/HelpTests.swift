import ArgumentParser
import Testing

@testable import LatchkeyCommands

/// The help of every command as it is read.
@Suite struct HelpTests {
  private struct Entry {
    let name: String
    let type: any ParsableCommand.Type
  }

  private static func tree(_ type: any ParsableCommand.Type, under path: String = "") -> [Entry] {
    let name = path + (path.isEmpty ? "" : "-") + (type.configuration.commandName ?? "?")
    let below = type.configuration.subcommands + type.configuration.groupedSubcommands.flatMap(\.subcommands)
    var seen: Set<String> = []
    return [Entry(name: name, type: type)]
      + below.filter { seen.insert($0.configuration.commandName ?? "?").inserted }.flatMap { tree($0, under: name) }
  }

  @Test func everyHelpIsAsItWas() throws {
    let entries = Self.tree(LatchkeyTool.self)
    for entry in entries {
      let help = LatchkeyProgram.usageInWidth(LatchkeyTool.helpMessage(for: entry.type, columns: 100))
      try Snapshot.expect(help, "help-" + entry.name)
      let usage = help.split(separator: "\n").drop { !$0.hasPrefix("USAGE: ") }.prefix { !$0.hasSuffix(":") }
      #expect(usage.allSatisfy { $0.count <= 80 }, "\(entry.name)")
    }
    #expect(try Snapshot.names("help-") == Set(entries.map { "help-" + $0.name }))
  }

  @Test func everyCommandHasAnExampleAndSaysWhatItDoes() {
    for entry in Self.tree(LatchkeyTool.self).dropFirst() {
      let configuration = entry.type.configuration
      #expect(configuration.discussion.contains("Example: latchkey "), "\(entry.name)")
      #expect(configuration.abstract.hasSuffix("."), "\(entry.name)")
    }
  }

  @Test(arguments: [["--help"], ["help"], ["pair", "--help"], ["pair", "join", "-h"], ["usage", "track", "--help"]])
  func helpGoesToStandardOutput(arguments: [String]) async {
    let run = await ScriptedRun(arguments)
    #expect(run.status == 0)
    #expect(run.console.output.contains("USAGE: latchkey"))
    #expect(run.console.notes.isEmpty)
  }

  @Test(arguments: [
    ["apps", "--state-dir", "/nowhere", "--help"], ["apps", "--help", "--state-dir", "/nowhere"],
    ["commands", "--format", "json", "-h"], ["--state-dir", "/nowhere", "--help"],
  ])
  func helpListsSubcommandsAlsoBesideAnOption(arguments: [String]) async {
    let run = await ScriptedRun(arguments)
    #expect(run.status == 0 && run.console.output.contains("SUBCOMMANDS:"), "\(run.console.output)")
  }

  @Test func helpOfASubcommandIsItsOwn() async {
    for arguments in [["apps", "--state-dir", "/nowhere", "refused", "--help"], ["points", "Emma", "--help"]] {
      #expect(GroupHelp.arguments(for: arguments) == arguments)
    }
    let track = ["usage", "track", "--app", "a.b", "--", "/bin/game", "--help"]
    #expect(GroupHelp.arguments(for: track) == track, "It is the program's.")
  }

  @Test func theVersionIsOneLine() async {
    let run = await ScriptedRun("--version")
    #expect(run.status == 0)
    #expect(run.console.output == "0.1.0\n")
  }
}
