import ArgumentParser
import LatchkeyModel
import LatchkeyRules

/// Words that parents type in the place of a subcommand, with the command that they mean.
enum SubcommandMistake {
  private static let showing: Set<String> = ["get", "list", "show", "view"]
  private static let adding: Set<String> = ["add", "create", "make", "new", "set"]
  private static let removing: Set<String> = ["clear", "delete", "remove", "reset", "unset"]

  /// Returns a sentence with the command that is meant by a word in the place of a subcommand of
  /// `path`, which begins with `latchkey`; `nil` for a word that means none.
  static func sentence(_ path: String, _ word: String, _ rest: [String]) -> String? {
    let lower = word.lowercased()
    if ["latchkey bedtime", "latchkey breaks", "latchkey limit"].contains(path), UsualMistake.offWords.contains(lower) {
      let words = path.split(separator: " ").map(String.init) + ["remove"]
      let named = rest.first.map { [words + ["--child", $0] + rest.dropFirst()] } ?? []
      let found = ([words + rest] + named).first { WholeCommand.works($0.dropFirst()) } ?? words
      let command = TypedWord.command(found)
      return "There is no such subcommand of `\(path)`: `\(command)` takes away what is set."
    }
    let found = path == "latchkey" ? nil : meant(path, lower, rest) ?? settingAtOnce(path, [word] + rest)
    guard let words = found, WholeCommand.works(words) else { return nil }
    let several = words.contains("--name") ? " Several days are written as 2026-12-23..2027-01-06." : ""
    return "There is no such subcommand of `\(path)`: type `\(TypedWord.command(["latchkey"] + words))`.\(several)"
  }

  /// Returns the command that is meant by a verb.
  private static func meant(_ path: String, _ word: String, _ rest: [String]) -> [String]? {
    let typed = TypedCommand(path: [], rest)
    let apps = typed.plain.isEmpty ? ["chess"] + rest : rest
    let child = typed.owner.last.map { $0 == "--family" ? [] : [$0] } ?? Array(typed.plain.prefix(1))
    let group = String(path.dropFirst("latchkey ".count))
    let verb =
      showing.contains(word) ? "show" : adding.contains(word) ? "add" : removing.contains(word) ? "remove" : word
    switch (group, verb) {
    case ("app", "block"), ("app", "ban"), ("apps", "block"): return ["app", "set"] + apps + ["--blocked"]
    case ("app", "allow"), ("app", "unblock"), ("apps", "unblock"): return ["app", "set"] + apps + ["--unblocked"]
    case ("app", "limit"), ("apps", "limit"):
      return timed(apps).map { ["app", "set"] + $0.rest + ["--daily-limit", $0.time] }
        ?? ["app", "set"] + apps + ["--daily-limit", "1h"]
    case ("app", "show"): return ["apps", "list"] + typed.owner
    case ("app", "add") where word == "add", ("apps", "add") where ["add", "set"].contains(word):
      return ["app", "set"] + WholeCommand.completed(["latchkey", "app", "set"], rest)
    case ("apps", "show"): return ["apps", "list"] + rest
    case ("app", "remove"), ("apps", "remove"): return ["app", "remove"] + apps
    case ("apps group", "add"):
      return ["apps", "group", "set"] + WholeCommand.completed(["latchkey", "apps", "group", "set"], rest)
    case ("apps group", "remove") where typed.plain.count > 1: return ["apps", "group", "drop"] + rest
    case ("apps group", "remove"):
      return ["apps", "group", "remove"] + (typed.plain.isEmpty ? ["games"] + rest : rest)
    case ("apps group", "show"): return ["apps", "group", "list"] + typed.owner
    case ("limit", "show"), ("bedtime", "show"): return typed.owner == ["--family"] ? ["settings"] : ["rules"] + child
    case ("breaks", "show"): return ["breaks", "show"] + typed.owner
    case ("settings", "show"): return ["settings", "show"]
    case ("days", "add"):
      let days = typed.plain.first ?? "tomorrow"
      // Anything but a day is a name for days.
      if case .named? = try? TypedDays.read(days) {
        return ["limit", "set"] + typed.owner + ["--day", "tomorrow", "--name", days, "--daily", "4h"]
      }
      return ["limit", "set"] + typed.owner + ["--day", TypedDays.meant(days) ?? days, "--daily", "4h"]
    case ("breaks", "remove"), ("limit", "remove"), ("bedtime", "remove"), ("days", "remove"):
      let words = [group, "remove"]
      let isNamed = rest.first?.hasPrefix("-") == false && !WholeCommand.works(words + rest)
      return words + (isNamed ? ["--child"] : []) + rest
    case ("breaks", "add"), ("limit", "add"), ("bedtime", "add"): return [group, "set"] + rest
    default: return nil
    }
  }

  /// Returns the command for values that follow the name of a group without “set”.
  private static func settingAtOnce(_ path: String, _ words: [String]) -> [String]? {
    let group = path.split(separator: " ").dropFirst().map(String.init)
    if WholeCommand.works(group + ["set"] + words) { return group + ["set"] + words }
    if ["latchkey bedtime", "latchkey limit"].contains(path), words.count > 1, words[0].first?.isLetter == true {
      // The child's name stands before what is set.
      let owned = ["--child", words[0]] + words.dropFirst()
      if words.count == 2, UsualMistake.offWords.contains(words[1].lowercased()) {
        return group + ["remove", "--child", words[0]]
      }
      let isToday = group == ["limit"] && words.count == 3 && words[1].lowercased() == "today"
      if isToday, LockMistake.isTime(words[2]) { return ["limit", "set", "--child", words[0], "--today", words[2]] }
      let days = TimesText.typed(words.prefix(2).joined(separator: " "))
      if path == "latchkey bedtime", TimesText.fault(inWeek: days) == nil {
        return ["bedtime", "set", words.prefix(2).joined(separator: " ")] + words.dropFirst(2)
      }
      if path == "latchkey bedtime", TimesText.fault(inWeek: TimesText.typed(words[1])) == nil,
        WholeCommand.works(group + ["set"] + owned)
      {
        return group + ["set"] + owned
      }
    }
    guard path == "latchkey limit", let found = timed(words) else { return nil }
    let owner = found.rest.first.map { $0.hasPrefix("-") ? [] : ["--child", $0] } ?? []
    return ["limit", "set"] + owner + found.rest.dropFirst(owner.isEmpty ? 0 : 1) + ["--daily", found.time]
  }

  /// Returns the time among words, and the other words.
  private static func timed(_ words: [String]) -> (time: String, rest: [String])? {
    guard let index = words.firstIndex(where: LockMistake.isTime) else { return nil }
    var rest = words
    let time = rest.remove(at: index)
    return (SpanReader.meant(time) ?? time, rest)
  }
}

/// Finds a subcommand that is not there, and suggests what may have been meant.
enum SubcommandSpelling {
  /// Returns a sentence about an unknown subcommand; `nil` if there is none, or if the parser has a
  /// better message.
  ///
  /// It does not repeat the typed text, which may be a pairing code.
  static func fault(in arguments: [String]) -> String? {
    var type: any ParsableCommand.Type = LatchkeyTool.self
    var path = "latchkey"
    for (index, argument) in arguments.enumerated() {
      let children = type.below
      guard !children.isEmpty, !argument.hasPrefix("-"), argument != "help" else { return nil }
      if let next = children.first(where: { $0.configuration.commandName == argument }) {
        type = next
        path += " " + argument
        continue
      }
      if let sentence = SubcommandMistake.sentence(path, argument, Array(arguments[(index + 1)...])) { return sentence }
      // The text of a message is no subcommand, nor is a child's name, which stands alone.
      if type is MessageSubcommand.Type { return nil }
      let isAlone = !arguments[(index + 1)...].contains { !$0.hasPrefix("-") }
      if type is PointsSubcommand.Type, isAlone || arguments[index + 1].hasPrefix("--") { return nil }
      let names = children.compactMap { $0.configuration.commandName }
      let question = Spelling.question(for: argument, among: names) { name in "`\(path) \(name)`" }
      if !question.isEmpty { return "There is no such subcommand of `\(path)`. \(question)" }
      // `latchkey pair` says what to do with a code that was given to it.
      return type is PairSubcommand.Type
        ? nil : "There is no such subcommand of `\(path)`: `\(path) --help` lists those there are."
    }
    return nil
  }
}
