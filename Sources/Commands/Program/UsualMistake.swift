import LatchkeyModel

/// Mistakes that parents make, in their words and with the command to type, in place of the
/// argument parser's message.
enum UsualMistake {
  /// Returns what is wrong and the command to type; `nil` for any other mistake.
  static func message(_ message: String, arguments: [String]) -> String? {
    let typed = TypedCommand(arguments)
    let first = String(message.prefix { $0 != "\n" }.dropFirst("Error: ".count))
    guard
      let sentence = inQuotes(first, typed) ?? LockMistake.sentence(first, typed) ?? childAndMore(first, typed)
        ?? opposites(first, typed) ?? withoutVerb(first, typed) ?? breaksInWords(first, typed) ?? noValue(first, typed)
        ?? withoutApp(first, typed) ?? MissingValue.sentence(first, typed)
    else { return nil }
    return typed.error(sentence)
  }

  /// Words that people write to take a rule away.
  static let offWords: Set<String> = ["off", "none", "no", "never", "clear", "delete", "disable", "stop"]

  /// Returns the command with quotes around the words of a reason, or of what a grant is for.
  private static func inQuotes(_ first: String, _ typed: TypedCommand) -> String? {
    let isGrant = typed.path == ["latchkey", "grant"]
    for option in isGrant ? ["--reason", "--for"] : ["--reason"] where first.isAboutMore || isGrant {
      guard let index = typed.rest.firstIndex(of: option), index + 2 < typed.rest.count,
        typed.rest[index + 1].lowercased() != "group"
      else { continue }
      let words = typed.rest[(index + 1)...].prefix { !$0.hasPrefix("-") }
      for count in stride(from: words.count, to: 1, by: -1) {
        let text = words.prefix(count).joined(separator: " ")
        let rest = typed.rest[...index] + [text] + typed.rest[(index + 1 + count)...]
        guard let command = typed.working(Array(rest)) else { continue }
        return "Several words after \(option) are written in quotes: type \(command)."
      }
    }
    return nil
  }

  private static func childAndMore(_ first: String, _ typed: TypedCommand) -> String? {
    let names = typed.plain
    guard first.isAboutMore, names.count > 1, Array(typed.rest.prefix(names.count)) == names,
      typed.path.count == 2, ["lock", "today", "unlock"].contains(typed.path[1])
    else { return nil }
    let options = Array(typed.rest.dropFirst(names.count))
    if let sentence = LockMistake.sentence(names: names, options: options, typed) { return sentence }
    let commands = names.map { typed.command([$0] + options) }
    return "This command is for one child at a time: type \(ShownText.list(commands)). A name of several words is "
      + "written in quotes: \(typed.command([names.joined(separator: " ")] + options))."
  }

  /// Returns what is wrong with two flags that are opposites.
  private static func opposites(_ first: String, _ typed: TypedCommand) -> String? {
    guard
      let flags = first.wholeMatch(
        of: /Value to be set with flag '(--[a-z-]+)' had already been set with flag '(--[a-z-]+)'/)
    else { return nil }
    let (second, first) = (String(flags.output.1), String(flags.output.2))
    if first == second { return "\(first) is given twice: give it once." }
    let commands = [first, second].map { flag in
      typed.command(typed.rest.filter { $0 == flag || ![first, second].contains($0) })
    }
    return "\(first) and \(second) contradict each other: type \(commands[0]) or \(commands[1])."
  }

  /// Returns the command without “set” or “add”, for one that has no subcommands.
  private static func withoutVerb(_ first: String, _ typed: TypedCommand) -> String? {
    guard first.isAboutMore, let verb = typed.rest.first, ["add", "set"].contains(verb.lowercased()) else { return nil }
    return typed.working(Array(typed.rest.dropFirst())).map {
      "`\(TypedWord.command(typed.path))` has no subcommands: type \($0)."
    }
  }

  /// Returns the command for “off” or two times after `breaks set` instead of options.
  private static func breaksInWords(_ first: String, _ typed: TypedCommand) -> String? {
    guard typed.path == ["latchkey", "breaks", "set"] else { return nil }
    if first.contains(/^The value '(?i:none|off)' is invalid for '--(after|for)/) {
      return "Breaks are taken away with `\(TypedWord.command(["latchkey", "breaks", "remove"] + typed.owner))`."
    }
    guard first.hasPrefix("Missing expected argument"), let word = typed.plain.first else { return nil }
    let rest = typed.rest.filter { !typed.plain.contains($0) }
    if offWords.contains(word.lowercased()) {
      return "Breaks are taken away with `\(TypedWord.command(["latchkey", "breaks", "remove"] + rest))`."
    }
    let times = typed.plain.filter(LockMistake.isTime)
    guard times.count == 2, times == typed.plain, rest.allSatisfy({ !["--after", "--for"].contains($0) }) else {
      return nil
    }
    let command = typed.command(rest + ["--after", times[0], "--for", times[1]])
    return "The screen time before a break follows --after, and the length of a break --for: type \(command)."
  }

  /// Returns the command that asks for an application, for a word in the place of a time.
  private static func withoutApp(_ first: String, _ typed: TypedCommand) -> String? {
    guard typed.path == ["latchkey", "ask"], let word = typed.plain.first, word.first?.isLetter == true,
      first.hasPrefix("The value '\(word)' is invalid for '"), let index = typed.rest.firstIndex(of: word)
    else { return nil }
    var rest = typed.rest
    rest.insert("--app", at: index)
    return typed.working(rest).map { "An application is asked for with --app: type \($0)." }
  }

  /// Returns the values of an option that was given another one, with a command that works.
  private static func noValue(_ first: String, _ typed: TypedCommand) -> String? {
    let ours = first.wholeMatch(
      of: /The value '(.*)' is invalid for '(--[a-z-]+)[^']*': (.+) (is|are) (.+): give one of them\./)
    let parsers = first.wholeMatch(
      of: /The value '(.*)' is invalid for '(--[a-z-]+)[^']*'\. Please provide one of (.+)\./)
    guard let value = (ours?.output.1 ?? parsers?.output.1).map(String.init),
      let option = (ours?.output.2 ?? parsers?.output.2).map(String.init),
      let list = (ours?.output.5 ?? parsers?.output.3).map(String.init)
    else { return nil }
    let values = list.replacing(" and ", with: " or ").replacing(" or ", with: ", ").split(separator: ", ").map {
      String($0.filter { $0 != "'" })
    }
    guard var example = values.first else { return nil }
    // `list` is clearly `listed`.
    let near = values.filter { $0.hasPrefix(value.lowercased()) }
    if value.count > 2, near.count == 1 { example = near[0] }
    if values.contains("off"), offWords.contains(value.lowercased()) { example = "off" }
    // The value may be written behind the option, or as a word of its own.
    var rest = typed.rest
    for index in rest.indices {
      if rest[index] == "\(option)=\(value)" { rest[index] = "\(option)=\(example)" }
      if index > 0, rest[index - 1] == option, rest[index] == value { rest[index] = example }
    }
    let what =
      ours.map { "\($0.output.3) \($0.output.4) \(list)" }
      ?? "\(option) takes \(values.dropLast().joined(separator: ", ")) or \(values[values.count - 1])"
    return "“\(ShownText.safe(value))” is no value of \(option). \(what): give one of them. An example: "
      + "\(typed.command(rest))."
  }
}

extension String {
  /// A Boolean value that indicates whether the argument parser blames arguments that are too many.
  var isAboutMore: Bool { hasPrefix("Unexpected argument") || contains("unexpected arguments: ") }
}

/// Mistakes in the commands that children type, in the language of the child.
///
/// The argument parser knows only English sentences, by which the phrase for each is found here.
enum ChildsMistake {
  /// The commands that children type.
  private static let commands: Set<String> = ["ask", "me", "redeem", "refund"]

  /// What these commands find wrong themselves.
  private static let sentences: [Phrase] = [
    AskSubcommand.neither, AskSubcommand.withoutTime, RedeemSubcommand.noMinutes, RedeemSubcommand.noPoints,
    MeSubcommand.both, MeSubcommand.onPage,
  ]

  /// Returns a message of the argument parser in the child's language, with where to find help;
  /// `nil` in English, and for what is told in English alone.
  static func message(_ message: String, arguments: [String], in language: Language) -> String? {
    let typed = TypedCommand(arguments)
    guard language != .english, typed.path.count == 2, commands.contains(typed.path[1]), message.hasPrefix("Error: ")
    else { return nil }
    let first = String(message.prefix { $0 != "\n" }.dropFirst("Error: ".count))
    guard let sentence = sentence(first, typed) else { return nil }
    let help = Phrase("See `{command}` for more information.", ["command": .text("latchkey \(typed.path[1]) --help")])
    let words = Phrase("Error: {sentence}", ["sentence": .phrase(sentence)])
    return "\(ShownText.worded(words, in: language))\n  \(ShownText.worded(help, in: language))"
  }

  private static func sentence(_ first: String, _ typed: TypedCommand) -> Phrase? {
    if let known = sentences.first(where: { $0.worded() == first }) { return known }
    if let match = first.wholeMatch(of: /The value '(.*)' is invalid for '<time>'.*/) {
      return AskSubcommand.noTime(String(match.output.1))
    }
    if first.hasPrefix("Missing expected argument"), typed.path[1] == "redeem" { return RedeemSubcommand.noPoints }
    if let match = first.wholeMatch(of: /Missing value for '(--[a-z-]+)[^']*'/) {
      return Phrase("A value is missing after {option}.", ["option": .text(String(match.output.1))])
    }
    if let match = first.wholeMatch(of: /Unknown option '(-[^']*)'.*/) {
      return Phrase("There is no option {option} here.", ["option": .text(String(match.output.1))])
    }
    guard first.isAboutMore, let word = first.firstMatch(of: /'([^']*)'/)?.output.1 else { return nil }
    return Phrase("{word} is one word too many here.", ["word": .phrase(.quoted(String(word)))])
  }
}
