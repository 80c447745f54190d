import ArgumentParser
import LatchkeyModel

/// Improves the argument parser's messages about arguments that it does not expect.
enum ArgumentHint {
  /// Returns a better message for an error of the argument parser, or the message itself.
  ///
  /// The parser checks the values of options before it looks for unknown ones, and blames what it
  /// finds first. It does not say which option an unexpected argument may belong to.
  static func better(_ message: String, arguments: [String]) -> String {
    WholeCommand.example(in: hint(message, arguments: arguments), arguments: arguments)
  }

  private static func hint(_ message: String, arguments: [String]) -> String {
    guard message.hasPrefix("Error: ") else { return message }
    if let usual = UsualMistake.message(message, arguments: arguments) { return usual }
    let typed = TypedCommand(arguments)
    if let unknown = unknownOption(arguments, typed) {
      if let hint = unknown.hint { return typed.error("Unknown option '--child': \(hint)") }
      if let sentence = MissingValue.unknown(unknown.option, typed) { return typed.error(sentence) }
      guard message.hasPrefix("Error: Unknown option") else {
        return typed.error("Unknown option '\(ShownText.safe(unknown.option))'")
      }
    }
    guard let end = message.firstIndex(of: "\n") else { return message }
    let isOne = message.hasPrefix("Error: Unexpected argument")
    guard isOne || message[..<end].contains("unexpected arguments") else { return message }
    if message.contains(" <text>\n") {
      return message[..<end] + ": put a text of several words in quotes, such as \"Dinner is ready\"." + message[end...]
    }
    if arguments.starts(with: ["accounts", "assign"]), arguments.contains(where: { $0.hasPrefix("--child") }) {
      return message[..<end] + ": --child stands before each child's name, such as --child Emma --child Tom."
        + message[end...]
    }
    guard isOne else { return message }
    // The parser's usage leaves out the options of a subcommand with many of them.
    let help = help(of: subcommand(arguments).0)
    for (option, what, example) in [("--child", "child", "Emma"), ("--on", "machine", "\"Emma's PC\"")]
    where help.contains("\(option) <\(what)>") && !arguments.contains(where: { $0.hasPrefix(option) }) {
      // The parser blames the last argument, though a name that was typed first may stand where
      // another value is expected.
      var blamed = String(message[..<end])
      let first = typed.rest.first.flatMap { $0.hasPrefix("-") ? nil : "'\(ShownText.safe($0))'" }
      if let first, !blamed.contains(first) {
        blamed = blamed.replacing("Unexpected argument", with: "Unexpected argument \(first) or", maxReplacements: 1)
      }
      let whole = naming(typed, option, help).map { ": type \($0)" } ?? ", such as \(option) \(example)"
      return blamed + ": a \(what) is named with \(option)\(whole)." + message[end...]
    }
    return message
  }

  /// Returns the command in which the option stands before the name; `nil` if that is unclear.
  private static func naming(_ typed: TypedCommand, _ option: String, _ help: String) -> String? {
    let names = typed.plain.filter { $0.first?.isLetter == true && !$0.contains(where: \.isNumber) }
    let takesApp = help.contains("<application>")
    guard !takesApp || ["app set", "app remove"].contains(typed.name),
      names.count == (takesApp ? 2 : 1), let name = names.last, let index = typed.rest.lastIndex(of: name)
    else { return nil }
    var rest = typed.rest
    rest.remove(at: index)
    return typed.working(rest + [option, name])
  }

  /// Returns the command that names the first of several children, after a sentence that asks which
  /// of them is meant; `nil` after any other sentence.
  static func namingChild(_ sentence: String, arguments: [String]) -> Phrase? {
    guard
      let asked = sentence.firstMatch(
        of: /^There is more than one child: say which, (.+?)( or .*?)?\.( --family is for all of them\.)?$/)
    else { return nil }
    let (type, path) = subcommand(arguments)
    let (help, name) = (help(of: type), ShellWord.person(String(asked.output.1)))
    let rest = arguments.dropFirst(path.count - 1).map(TypedWord.quoted)
    let words =
      help.contains("--child <child>")
      ? path + rest + ["--child", name] : help.contains("<child>") ? path + [name] + rest : []
    guard !words.isEmpty else { return nil }
    return Phrase("Name one, such as `{command}`.", ["command": .text(words.joined(separator: " "))])
  }

  /// Returns the subcommand that arguments name, and its names from `latchkey` on.
  static func subcommand(_ arguments: [String]) -> (type: any ParsableCommand.Type, path: [String]) {
    var type: any ParsableCommand.Type = LatchkeyTool.self
    var path = ["latchkey"]
    for argument in arguments {
      guard let next = type.below.first(where: { $0.configuration.commandName == argument }) else { break }
      type = next
      path.append(argument)
    }
    return (type, path)
  }

  /// Returns the help of a subcommand, or of the one that is used without a name.
  static func help(of type: any ParsableCommand.Type) -> String {
    LatchkeyTool.helpMessage(for: type.configuration.defaultSubcommand ?? type, includeHidden: true, columns: 1_000)
  }

  /// Returns the first option that a subcommand does not have.
  ///
  /// For `--child`, a hint says how the subcommand takes a child instead.
  private static func unknownOption(_ arguments: [String], _ typed: TypedCommand) -> (option: String, hint: String?)? {
    let help = help(of: subcommand(arguments).type)
    let known = options(in: help)
    for argument in arguments {
      if argument == "--" { return nil }
      let option = String(argument.prefix { $0 != "=" })
      if option.hasPrefix("--"), !known.contains(option) {
        return (option, option == "--child" ? childHint(help, typed) : nil)
      }
    }
    return nil
  }

  /// Returns how a subcommand takes a child, from its help; `nil` if it takes none.
  private static func childHint(_ help: String, _ typed: TypedCommand) -> String? {
    if help.contains("<child>") {
      let owner = typed.owner
      if let child = owner.last.map({ $0.replacing("--child=", with: "") }), !child.hasPrefix("-"),
        let index = typed.rest.firstIndex(of: owner[0])
      {
        var rest = typed.rest
        rest.removeSubrange(index..<(index + owner.count))
        let isApp = typed.path == ["latchkey", "explain"] && rest.first?.hasPrefix("-") == false
        rest = [child] + (isApp ? ["--app"] : []) + rest
        if let command = typed.working(rest) { return "name the child without an option, such as \(command)." }
      }
      let time = help.contains("<child>] <time") ? " 30m" : ""
      return "name the child without an option, such as `latchkey \(typed.name) Emma\(time)`."
    }
    return help.contains("--on <") ? "a child's machine is named with --on, such as --on Emma." : nil
  }

  /// Returns the options that a subcommand has.
  static func options(of typed: TypedCommand) -> Set<String> {
    options(in: help(of: subcommand(Array(typed.path.dropFirst())).type))
  }

  /// Returns all that looks like an option in a help text.
  private static func options(in help: String) -> Set<String> {
    let words = help.split { !($0.isLetter || $0.isNumber || $0 == "-") }
    return Set(words.filter { $0.hasPrefix("--") }.map(String.init))
  }
}

extension ParsableCommand {
  /// The subcommands, in groups or not.
  static var below: [any ParsableCommand.Type] {
    configuration.subcommands + configuration.groupedSubcommands.flatMap(\.subcommands)
  }
}

/// An option that is given twice; the parser would silently take the last one.
enum RepeatedOption {
  /// Options of any command that may be given several times.
  private static let lists: Set = ["--matcher", "--peer", "--account"]
  /// The commands that take several children.
  private static let ofChildren: Set = ["latchkey setup", "latchkey accounts assign"]
  /// The commands that services run, to whose options a person may add others.
  private static let services: Set = ["latchkey run", "latchkey bridge"]
  /// What one value of an option holds for several days.
  private static let examples = [
    "--daily": "mon-fri 1h, sat-sun 2h", "--daily-limit": "mon-fri 1h, sat-sun 2h",
    "--hours": "mon-fri 15:00-18:00, sat-sun 9:00-19:00", "--school": "mon-fri 8:00-13:00, sat 9:00-11:00",
    "--reward": "mon-fri 16:00-18:00, sat-sun 10:00-18:00",
  ]

  /// Returns a sentence about an option with one value that is given twice; `nil` if there is none.
  static func fault(in arguments: [String]) -> String? {
    let typed = arguments.prefix { $0 != "--" }
    let options = typed.filter { $0.hasPrefix("--") }.map { String($0.prefix { $0 != "=" }) }
    guard let repeated = options.first(where: { option in options.count { $0 == option } > 1 }) else { return nil }
    let (type, path) = ArgumentHint.subcommand(arguments)
    let command = path.joined(separator: " ")
    guard !lists.contains(repeated), !services.contains(command),
      repeated != "--child" || !ofChildren.contains(command), ArgumentHint.help(of: type).contains("\(repeated) <")
    else { return nil }
    let example = examples[repeated].map { " for all days together, such as \(repeated) \"\($0)\"" } ?? ""
    return "\(repeated) is given twice, and only one of them would count: give it once\(example)."
  }
}
