import ArgumentParser
import Testing

@testable import LatchkeyCommands

/// Arguments that are right are parsed with the command that they name alone, to the same end.
@Suite struct NamedCommandTests {
  private static func tree(_ type: any ParsableCommand.Type) -> [any ParsableCommand.Type] {
    [type] + type.configuration.subcommands.flatMap(tree)
  }

  /// Every example of the help, as the arguments that a shell makes of it.
  private static var examples: [[String]] {
    tree(LatchkeyTool.self).flatMap { type in
      type.configuration.discussion.split(separator: "\n").filter { $0.hasPrefix("Example: latchkey ") }.map {
        arguments(String($0.dropFirst("Example: latchkey ".count)))
      }
    }
  }

  /// Returns the words of a line, of which those in quotes may hold spaces.
  private static func arguments(_ line: String) -> [String] {
    var (words, quote): ([String], Character?) = ([], nil)
    var word: String?
    for character in line {
      switch (character, quote) {
      case ("\"", nil), ("'", nil): (quote, word) = (character, word ?? "")
      case (let end, .some(let open)) where end == open: quote = nil
      case (" ", nil):
        if let whole = word { words.append(whole) }
        word = nil
      default: word = (word ?? "") + String(character)
      }
    }
    return words + [word].compactMap { $0 }
  }

  @Test func aCommandAboveOthersHasNoOptionsOfItsOwn() {
    for type in Self.tree(LatchkeyTool.self) where !type.configuration.subcommands.isEmpty {
      #expect(Mirror(reflecting: type.init()).children.isEmpty, "\(type)")
    }
  }

  @Test func examplesAreParsedToTheSameEnd() async throws {
    let examples = Self.examples
    #expect(examples.count > 100)
    var parsed = 0
    for arguments in examples {
      guard let command = await NamedCommand.parsed(arguments) else { continue }
      parsed += 1
      let whole = try await LatchkeyTool.asyncParseAsRoot(arguments)
      #expect(type(of: command) == type(of: whole), "\(arguments)")
      // A dictionary has no order.
      #expect(String(reflecting: command).sorted() == String(reflecting: whole).sorted(), "\(arguments)")
    }
    #expect(parsed > 100, "Few examples are parsed with the command that they name alone.")
  }

  @Test(arguments: [
    [], ["status", "--help"], ["status", "-h"], ["help", "status"], ["--version"], ["status", "--version"],
    ["status", "--nonsense"], ["status", "more"], ["statsu"], ["--", "status"], ["apps", "--help-hidden"],
    ["status", "--generate-completion-script", "bash"], ["--generate-completion-script=zsh"],
    ["---completion", "status", "--", "--format", "1", "0"], ["status", "--format", "xml"], ["pair", "join", "-h"],
    ["usage", "track", "--app", "a.b", "--", "/bin/game", "--help"],
  ])
  func everythingElseIsLeftToTheWholeProgram(arguments: [String]) async {
    let command = await NamedCommand.parsed(arguments)
    #expect(command == nil, "\(arguments)")
  }

  @Test func anErrorSaysTheSameAsBefore() async {
    let run = await ScriptedRun(["status", "--format", "xml"])
    #expect(run.status == 64)
    #expect(run.console.notes.contains { $0.contains("latchkey status --help") }, "\(run.console.notes)")
  }
}
