import ArgumentParser
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

  /// The names of the subcommands after `latchkey`, such as `app set`.
  var name: String { path.dropFirst().joined(separator: " ") }

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

  /// Returns the same; `nil` if the parser does not take the command.
  func working(_ rest: [String]) -> String? { WholeCommand.works(path.dropFirst() + rest) ? command(rest) : nil }

  /// Returns a message about the command, with where to find help.
  func error(_ sentence: String) -> String {
    "Error: \(sentence)\n  See '\(path.joined(separator: " ")) --help' for more information."
  }
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

  static func command(_ words: [String]) -> String { words.map(quoted).joined(separator: " ") }
}

/// Whole commands that are shown as examples.
enum WholeCommand {
  /// Returns whether the parser takes a command, without its first word `latchkey`, and would run
  /// it rather than show a help, which it does for any words with `--help` among them.
  static func works(_ words: some Sequence<String>) -> Bool {
    (try? LatchkeyTool.parseAsRoot(Array(words))) is any AsyncParsableCommand
  }

  /// Returns the rest of a command with the arguments that it requires and that are missing.
  static func completed(_ path: [String], _ rest: [String]) -> [String] {
    let hasPlain = rest.indices.contains { !rest[$0].hasPrefix("-") && ($0 == 0 || !rest[$0 - 1].hasPrefix("--")) }
    func options(_ names: String...) -> [String] {
      names.flatMap { name in
        rest.contains { $0 == name || $0.hasPrefix(name + "=") }
          ? [] : [name] + (SampleValue.of(name, in: path).map { [$0] } ?? [])
      }
    }
    switch path.dropFirst().joined(separator: " ") {
    case "bridge": return (hasPlain ? [] : ["ntfy"]) + rest
    case "breaks set": return rest + options("--after", "--for")
    case "explain": return rest + options("--app")
    case "app set":
      let hasRule = rest.contains { $0.hasPrefix("--") && !["--child", "--family", "--now", "--new"].contains($0) }
      return (hasPlain ? [] : ["chess"]) + rest + (hasRule ? [] : ["--daily-limit", "1h"])
    case "app remove", "apps allow": return (hasPlain ? [] : ["chess"]) + rest
    case "apps group add", "apps group drop", "apps group set": return (hasPlain ? [] : ["games", "chess"]) + rest
    case "apps group remove": return (hasPlain ? [] : ["games"]) + rest
    case "bedtime set": return hasPlain ? rest : rest + ["20:00-07:00"]
    case "days remove": return (hasPlain ? [] : ["tomorrow"]) + rest
    case "grant": return hasPlain ? rest : ["30m"] + rest
    case "points adjust": return rest + options("--reason")
    default: return rest
    }
  }

  /// The commands whose mistakes are answered with one of the examples of their help.
  private static let withExamples: Set<String> = [
    "accounts", "app", "apps", "approve", "ask", "bedtime", "breaks", "children", "days", "deny", "explain", "grant",
    "limit", "lock", "me", "points", "redeem", "report", "rules", "settings", "times", "today", "unlock",
  ]

  /// Returns a message of the argument parser with a whole command as an example.
  static func example(in message: String, arguments: [String]) -> String {
    let (type, path) = ArgumentHint.subcommand(arguments)
    let typed = TypedCommand(arguments)
    let end = message.firstIndex(of: "\n") ?? message.endIndex
    let first = message[..<end]
    guard path.count > 1, withExamples.contains(path[1]), message.hasPrefix("Error: "), !first.contains("`latchkey "),
      let sentence = withoutTimes(typed)
        ?? (ofApplication(typed, message: String(first)) ?? example(of: type, typed, message: String(first)))
        .map({ "An example: `\($0)`." })
    else { return message }
    return first + (first.last.map { ".?".contains($0) } == true ? " " : ". ") + sentence + message[end...]
  }

  /// Returns a sentence on how times are taken away, for times with a word such as `off`.
  private static func withoutTimes(_ typed: TypedCommand) -> String? {
    guard typed.path == ["latchkey", "times"] else { return nil }
    for option in ["--school", "--reward"] {
      guard let index = typed.rest.firstIndex(of: option), index + 1 < typed.rest.count else { continue }
      let words = typed.rest[index + 1].lowercased().split(separator: " ").map(String.init)
      guard words.contains(where: UsualMistake.offWords.contains) else { continue }
      return "Days that \(option) does not name have no such time. For none on any day, type "
        + "\(typed.command(typed.owner + [option, "none"]))."
    }
    return nil
  }

  /// Returns the command for the application that was typed, with one of the options that were
  /// typed: the one that a message names, or the first one.
  private static func ofApplication(_ typed: TypedCommand, message: String) -> String? {
    guard typed.path == ["latchkey", "app", "set"], let app = typed.plain.first else { return nil }
    let options = typed.rest.map { String($0.prefix { $0 != "=" }) }.filter { $0.hasPrefix("--") }
    let named = message.firstMatch(of: /--[a-z-]+/).map { String($0.output) }
    let candidates = [named].compactMap(\.self) + (message.contains("16:00-18:00") ? ["--hours"] : []) + options
    for option in candidates where options.contains(option) && !["--child", "--family"].contains(option) {
      guard let value = SampleValue.of(option, in: typed.path) else { continue }
      let words = typed.path + [app] + typed.owner + [option, value]
      if works(words.dropFirst()) { return TypedWord.command(words) }
    }
    let neutral = typed.path + [app] + typed.owner + ["--category", "neutral"]
    return works(neutral.dropFirst()) ? TypedWord.command(neutral) : nil
  }

  /// Returns the example of a command's help that is about the option that a message names, or
  /// about one that was typed, or the first one; with the child or the family that was typed.
  private static func example(of type: any ParsableCommand.Type, _ typed: TypedCommand, message: String) -> String? {
    let text = (type.configuration.subcommands.isEmpty ? type : type.configuration.defaultSubcommand ?? type)
      .configuration.discussion
    let examples = text.split(separator: "\n").filter { $0.hasPrefix("Example: ") }.map { $0.dropFirst(9) }
    let named = message.firstMatch(of: /--[a-z-]+/).map { [String($0.output)] } ?? []
    let options = named + typed.rest.filter { $0.hasPrefix("--") && !["--child", "--family", "--wait"].contains($0) }
    let fitting = options.lazy.compactMap { option in examples.first { $0.contains("\(option) ") } }
    let found = fitting.first ?? examples.first
    guard let example = found.map(String.init) else { return nil }
    guard example.contains(" --child Emma") else { return example }
    let owner = typed.owner.isEmpty ? "" : " " + TypedWord.command(typed.owner)
    return example.replacing(" --child Emma", with: owner)
  }
}

/// Values that stand in examples of commands.
enum SampleValue {
  private static let ofOptions = [
    "--after": "45m", "--app": "chess", "--at": "19:30", "--carry-over": "30m", "--category": "reward",
    "--child": "Emma", "--daily": "2h", "--daily-limit": "1h", "--daily-reward-limit": "1h30m", "--day": "tomorrow",
    "--default-points-per-minute": "1", "--for": "1h", "--from": "monday", "--grace": "60s",
    "--hours": "mon-fri 15:00-18:00", "--i-am": "Emma", "--launches": "apart",
    "--learning-points-per-minute": "1", "--matcher": "path /usr/games/chess", "--name": "Christmas",
    "--points": "on", "--points-per-minute": "2", "--programs": "listed", "--reason": "rude at dinner",
    "--reward": "mon-fri 16:00-18:00", "--rewards": "redeem-first", "--school": "mon-fri 8:00-13:00",
    "--sessions": "lock", "--to": "today", "--today": "1h", "--unknown-programs": "block", "--until": "20:00",
    "--weekends": "3h", "--weekly": "10h", "--weekly-limit": "5h", "--weekly-reward-limit": "5h",
    "--when-over": "pause",
  ]

  /// The examples of the rules that `latchkey settings set` sets, by their options.
  private static let ofSettings = Dictionary(
    uniqueKeysWithValues: SettingsSetSubcommand.rules.compactMap { rule in
      rule.key.entry.example.map { (rule.option, $0) }
    })

  /// Returns a value of an option of a command; `nil` if none is known.
  static func of(_ option: String, in path: [String]) -> String? {
    switch (path.dropFirst().joined(separator: " "), option) {
    case ("breaks set", "--for"): "10m"
    case ("grant", "--for"): "reward"
    case ("points adjust", "--reason"): "tidied up"
    case ("app set", "--name"): "Chess"
    case ("settings set", _): ofOptions[option] ?? ofSettings[option]
    default: ofOptions[option]
    }
  }
}
