import LatchkeyModel

/// Mistakes that parents make, in their words and with the command to type, in place of the
/// argument parser's message.
enum UsualMistake {
  /// Returns what is wrong and the command to type; `nil` for any other mistake.
  ///
  /// - Parameters:
  ///   - message: The parser's message.
  ///   - arguments: The arguments of the program.
  /// - Returns: The message, with where to find help.
  static func message(_ message: String, arguments: [String]) -> String? {
    let path = ArgumentHint.subcommand(arguments).path
    let typed = Typed(path: path, rest: Array(arguments.dropFirst(path.count - 1)))
    let first = String(message.prefix { $0 != "\n" }.dropFirst("Error: ".count))
    guard
      let sentence = timeOfLock(first, typed) ?? childAndMore(first, typed) ?? opposites(first, typed)
        ?? noApplication(first, typed) ?? noBreaks(first, typed) ?? noValue(first, typed)
    else { return nil }
    return "Error: \(sentence)\n  See '\(path.joined(separator: " ")) --help' for more information."
  }

  /// A command as it was typed: the names of its subcommands from `latchkey` on, and the rest.
  private struct Typed {
    var path: [String]
    var rest: [String]

    /// The rest without options; what follows an option may be its value.
    var plain: [String] {
      rest.indices.filter { !rest[$0].hasPrefix("-") && ($0 == 0 || !rest[$0 - 1].hasPrefix("--")) }.map { rest[$0] }
    }

    func command(_ rest: [String]) -> String { "`\(TypedWord.command(path + rest))`" }
  }

  /// Words that people write to take a rule away.
  static let offWords: Set<String> = ["off", "none", "no", "never", "clear", "delete", "disable", "stop"]

  /// Returns a sentence with the command that takes a rule away, for a word such as “off” in the
  /// place of a subcommand of `path`; `nil` for anything else.
  static func takingAway(_ path: String, _ word: String, _ rest: [String]) -> String? {
    guard ["latchkey bedtime", "latchkey breaks", "latchkey limit"].contains(path),
      offWords.contains(word.lowercased())
    else { return nil }
    let command = TypedWord.command(path.split(separator: " ").map(String.init) + ["remove"] + rest)
    return "There is no such subcommand of `\(path)`: `\(command)` takes away what is set."
  }

  /// Returns whether a word is a time, also with a minus sign before it.
  static func isTime(_ word: String) -> Bool {
    let text = word.hasPrefix("-") ? String(word.dropFirst()) : word
    return text.first?.isNumber == true && SpanReader.minutes(text) != nil
  }

  /// Returns what is wrong with a time after the name of a child that is locked or unlocked.
  private static func timeOfLock(_ first: String, _ typed: Typed) -> String? {
    guard first.hasPrefix("Unknown option '-") && !first.hasPrefix("Unknown option '--") || first.isAboutMore,
      ["lock", "unlock"].contains(typed.path[typed.path.count - 1]),
      let index = typed.rest.indices.first(where: { index in
        isTime(typed.rest[index]) && (index == 0 || !typed.rest[index - 1].hasPrefix("--"))
      })
    else { return nil }
    var rest = typed.rest
    let time = rest.remove(at: index)
    let child = typed.plain.first { !isTime($0) }
    let grant = TypedWord.command(["latchkey", "grant"] + (child.map { [$0] } ?? []) + [time])
    if time.hasPrefix("-") {
      let lock = TypedWord.command(["latchkey", "lock"] + rest + ["--for", String(time.dropFirst())])
      return "A lock takes no time away: `\(grant)` does. To lock for that long, type `\(lock)`."
    }
    return typed.path[typed.path.count - 1] == "lock"
      ? "The time of a lock follows --for: type \(typed.command(rest + ["--for", time]))."
      : "A child is unlocked without a time: type \(typed.command(rest)). `\(grant)` gives more time."
  }

  /// Returns what is wrong with several names for a command that takes one child.
  private static func childAndMore(_ first: String, _ typed: Typed) -> String? {
    let names = typed.plain
    guard first.isAboutMore, names.count > 1, Array(typed.rest.prefix(names.count)) == names,
      typed.path.count == 2, ["explain", "lock", "today", "unlock"].contains(typed.path[1])
    else { return nil }
    let options = Array(typed.rest.dropFirst(names.count))
    let commands = names.map { typed.command([$0] + options) }
    return "This command is for one child at a time: type \(ShownText.list(commands)). A name of several words is "
      + "written in quotes: \(typed.command([names.joined(separator: " ")] + options))."
  }

  /// Returns what is wrong with two flags of which each is the other's opposite.
  private static func opposites(_ first: String, _ typed: Typed) -> String? {
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

  /// Returns how the application is named that is to be explained.
  private static func noApplication(_ first: String, _ typed: Typed) -> String? {
    guard first.hasPrefix("Missing expected argument '--app"), typed.path == ["latchkey", "explain"] else { return nil }
    var rest = typed.rest
    // `explain Emma chess`: the second word is the application.
    if typed.plain.count > 1, let index = rest.firstIndex(of: typed.plain[1]) {
      let app = rest.remove(at: index)
      return "The application follows --app: type \(typed.command(rest + ["--app", app]))."
    }
    let child = typed.plain.first.map { ["--child", $0] } ?? []
    return "Say which application is to be explained, such as \(typed.command(rest + ["--app", "chess"])). "
      + "`\(TypedWord.command(["latchkey", "apps", "list"] + child))` lists those with rules, and "
      + "`\(TypedWord.command(["latchkey", "today"] + typed.plain.prefix(1)))` what holds for the whole day."
  }

  /// Returns the command that removes what is set, for a word such as “off” after `breaks set`.
  private static func noBreaks(_ first: String, _ typed: Typed) -> String? {
    guard first.hasPrefix("Missing expected argument"), typed.path == ["latchkey", "breaks", "set"],
      let word = typed.plain.first, offWords.contains(word.lowercased())
    else { return nil }
    let rest = typed.rest.filter { $0 != word }
    return "Breaks are taken away with `\(TypedWord.command(["latchkey", "breaks", "remove"] + rest))`."
  }

  /// Returns the values of an option that has been given another one, with the command for one of
  /// them.
  private static func noValue(_ first: String, _ typed: Typed) -> String? {
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
  fileprivate var isAboutMore: Bool { hasPrefix("Unexpected argument") || contains("unexpected arguments: ") }
}
