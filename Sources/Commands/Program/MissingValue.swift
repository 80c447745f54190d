import LatchkeyModel
import LatchkeyRules

/// Values that are missing or wrong in a command, with a whole command that works.
enum MissingValue {
  /// Returns what is missing or wrong and the command to type; `nil` for any other mistake, and if
  /// no command is known that the parser takes.
  static func sentence(_ first: String, _ typed: TypedCommand) -> String? {
    missing(first, typed) ?? unset(first, typed) ?? apart(first, typed) ?? wrong(first, typed) ?? bare(first, typed)
      ?? first.wholeMatch(of: /Unknown option '(--[a-z-]+)'.*/).flatMap { unknown(String($0.output.1), typed) }
  }

  /// Returns the command with `set`, for options that follow a command without it.
  private static func unset(_ first: String, _ typed: TypedCommand) -> String? {
    let type = ArgumentHint.subcommand(Array(typed.path.dropFirst())).type
    guard first.hasPrefix("Unknown option") || first.isAboutMore,
      type.configuration.subcommands.contains(where: { $0.configuration.commandName == "set" })
    else { return nil }
    let path = typed.path + ["set"]
    return command(TypedCommand(path: path, typed.rest)) { $0 }.map {
      "`\(TypedWord.command(typed.path))` alone shows what is set: type \($0)."
    }
  }

  /// Words that people write for options.
  private static let synonyms = [
    "--block": "--blocked", "--unblock": "--unblocked", "--disable": "--disabled", "--enable": "--enabled",
    "--app": "--for", "--limit": "--daily-limit", "--weekend": "--weekends", "--week": "--weekly", "--time": "--for",
    "--reason": "--word", "--word": "--reason",
  ]

  /// Returns the command with the option that an unknown one means; `nil` if none is known.
  static func unknown(_ option: String, _ typed: TypedCommand) -> String? {
    let known = ArgumentHint.options(of: typed)
    if typed.path == ["latchkey", "settings", "set"], ["--daily", "--daily-limit", "--limit"].contains(option) {
      let rest = typed.rest.map { $0 == option ? "--daily" : $0 }
      guard WholeCommand.works(["limit", "set"] + rest) else { return nil }
      return "Screen time is limited with another command: type "
        + "`\(TypedWord.command(["latchkey", "limit", "set"] + rest))`."
    }
    if typed.path == ["latchkey", "rules"], option == "--family" {
      return "`latchkey settings` shows the rules of the family, and `latchkey rules` those of a child with them."
    }
    let near = Spelling.suggestions(for: option, among: known.sorted()).first
    for other in [synonyms[option], near].compactMap(\.self) where known.contains(other) && other != option {
      let command = command(typed) { rest in
        rest.map { word in
          word == option ? other : word.hasPrefix(option + "=") ? other + word.dropFirst(option.count) : word
        }
      }
      if let command { return "Unknown option '\(ShownText.safe(option))': type \(command)." }
    }
    return nil
  }

  /// Returns the command with options in place of bare words such as `points off` and `2h`.
  private static func bare(_ first: String, _ typed: TypedCommand) -> String? {
    guard first.hasPrefix("Nothing is to be ") || first.hasPrefix("Give a limit, "), !typed.plain.isEmpty else {
      return nil
    }
    if typed.path == ["latchkey", "limit", "set"], let off = withoutLimit(typed) { return off }
    let known = ArgumentHint.options(of: typed)
    let limit = ["limit set": "--daily", "app set": "--daily-limit", "apps group set": "--daily-limit"][typed.name]
    var rest: [String] = []
    var isChanged = false
    for (index, word) in typed.rest.enumerated() {
      let isPlain = !word.hasPrefix("-") && (index == 0 || !typed.rest[index - 1].hasPrefix("--"))
      if isPlain, known.contains("--" + word.lowercased()) {
        (rest, isChanged) = (rest + ["--" + word.lowercased()], true)
      } else if let limit, isPlain, rest.last?.hasPrefix("--") != true, LockMistake.isTime(word) {
        (rest, isChanged) = (rest + [limit, SpanReader.meant(word) ?? word], true)
      } else if let limit, isPlain, word.contains(" "), (try? DayLimits.Change(given: word)) != nil {
        (rest, isChanged) = (rest + [limit, word], true)
      } else {
        rest.append(word)
      }
    }
    guard isChanged else { return nil }
    // A name alone is the child's where no application is named.
    let (takesChild, changed) = (typed.path[1] != "app" && typed.path.count == 3, TypedCommand(path: typed.path, rest))
    let (names, hasOwner) = (changed.plain, !changed.owner.isEmpty)
    if takesChild, hasOwner, names == ["tomorrow"] {
      rest = rest.filter { $0 != "tomorrow" } + ["--day", "tomorrow"]
    } else if takesChild, hasOwner, names == ["today"] {
      rest = rest.filter { $0 != "today" }.map { $0 == "--daily" ? "--today" : $0 }
    } else if takesChild, !hasOwner, names.count == 1, let index = rest.firstIndex(of: names[0]),
      known.contains("--child")
    {
      rest.remove(at: index)
      rest = ["--child", names[0]] + rest
    }
    return typed.working(rest).map { "What is set is named by an option: type \($0)." }
  }

  /// Returns what takes limits away, for a word such as `off` in the place of a limit.
  private static func withoutLimit(_ typed: TypedCommand) -> String? {
    func isOff(_ word: String) -> Bool { UsualMistake.offWords.contains(word.lowercased()) }
    guard let word = typed.plain.last(where: isOff) else { return nil }
    let names = typed.plain.filter { !isOff($0) }
    guard names.count == (typed.owner.isEmpty ? 1 : 0) || names.isEmpty else { return nil }
    let rest = (names.first.map { ["--child", $0] } ?? []) + typed.rest.filter { !isOff($0) && !names.contains($0) }
    let all = ["latchkey", "limit", "remove"] + rest
    guard let daily = typed.working(rest + ["--daily", "none"]), WholeCommand.works(all.dropFirst()) else { return nil }
    return "“\(ShownText.safe(word))” is no limit: \(daily) sets no limit a day, and "
      + "`\(TypedWord.command(all))` removes all limits."
  }

  /// Returns what is missing: the value of an option, or a required option or argument.
  private static func missing(_ first: String, _ typed: TypedCommand) -> String? {
    // Another option that follows is taken for the value.
    let taken = first.wholeMatch(of: /The value '--[^']*' is invalid for '(--[a-z-]+).*/)?.output.1
    if let option = first.wholeMatch(of: /Missing value for '(--[a-z-]+)[^']*'/)?.output.1 ?? taken {
      guard let sample = SampleValue.of(String(option), in: typed.path) else { return nil }
      let command = command(typed) { rest in
        let index = rest.lastIndex { $0 == option } ?? rest.count - 1
        return Array(rest[...index]) + [sample] + rest[(index + 1)...]
      }
      return command.map { "A value is missing after \(option): type one such as \($0)." }
    }
    guard let match = first.wholeMatch(of: /Missing expected argument '([^']*)'/) else { return nil }
    let name = String(match.output.1.prefix { $0 != " " })
    guard let command = command(typed, { $0 }) else { return nil }
    let what =
      name.hasPrefix("--")
      ? "\(name) with its value" : name == "<child-and-time>" ? "The time" : "The \(name.filter { !"<>".contains($0) })"
    let list =
      ["app set", "app remove"].contains(typed.name)
      ? " `latchkey apps scan` lists what is installed."
      : typed.name == "bridge" ? " `latchkey receivers` lists the names of receivers." : ""
    return
      "\(what) \(["<days>", "<times>"].contains(name) ? "are" : "is") missing: type a whole command such as \(command).\(list)"
  }

  /// Returns what is wrong with the value of an option, with another value in its place.
  private static func wrong(_ first: String, _ typed: TypedCommand) -> String? {
    guard let match = first.wholeMatch(of: /The value '(.*)' is invalid for '(--[a-z-]+)?[^']*'(?:[:.] (.+))?/) else {
      return nil
    }
    let (value, option) = (String(match.output.1), match.output.2.map(String.init))
    let none = UsualMistake.offWords.contains(value.lowercased()) || value.lowercased() == "unlimited"
    var meant = [SpanReader.meant(value), TypedDays.meant(value)].compactMap(\.self)
    // Some faults name a command already.
    guard !meant.isEmpty || match.output.3?.contains("`latchkey ") != true else { return nil }
    if none { meant.append(option == "--grace" ? "0s" : "none") }
    for sample in meant + (option.flatMap { SampleValue.of($0, in: typed.path) }.map { [$0] } ?? []) {
      let command = command(typed) { rest in
        rest.indices.map { index in
          if let option, rest[index] == "\(option)=\(value)" { return "\(option)=\(sample)" }
          let isHere = rest[index] == value && (option == nil || index > 0 && rest[index - 1] == option)
          return isHere ? sample : rest[index]
        }
      }
      guard let command else { continue }
      let fault = match.output.3.map { String($0) } ?? "“\(ShownText.safe(value))” is no value of \(option ?? "it")."
      return fault + (meant.contains(sample) ? " Type \(command)." : " An example: \(command).")
    }
    return nil
  }

  /// Returns the command in which words such as `mon-fri 8:00-13:00` are one.
  private static func apart(_ first: String, _ typed: TypedCommand) -> String? {
    guard first.isAboutMore || first.hasPrefix("The value "), (2...24).contains(typed.rest.count) else { return nil }
    let rest = typed.rest
    for count in stride(from: min(5, rest.count), to: 1, by: -1) {
      for start in 0...(rest.count - count) {
        let words = Array(rest[start..<(start + count)])
        guard words.allSatisfy({ !$0.hasPrefix("-") || $0 == "-" }), let word = joined(words) else { continue }
        let whole = Array(rest[..<start]) + [word] + rest[(start + count)...]
        guard let command = typed.working(whole) else { continue }
        return "“\(ShownText.safe(words.joined(separator: " ")))” is one value: type \(command)."
      }
    }
    return nil
  }

  /// Returns words as the one value that they are together; `nil` if they are none.
  private static func joined(_ words: [String]) -> String? {
    if SpanReader.minutes(words.joined()) != nil { return words.joined() }
    let text = words.joined(separator: " ")
    if words.count == 3, words[1].lowercased() == "within", TimesText.fault(inWeek: TimesText.typed(words[2])) == nil,
      (try? DayLimits.Change.argumentWithHours(text)) != nil
    {
      return text
    }
    if let first = words.first?.first, first.isLetter || words.contains(where: { $0.lowercased() == "within" }),
      (try? DayLimits.Change(given: text, canHaveHours: true)) != nil
    {
      return text
    }
    let hours = [text] + (words.count == 2 ? [words.joined(separator: "-")] : [])
    return hours.map(TimesText.typed).first { TimesText.fault(inWeek: $0) == nil }
  }

  /// Returns the command with a changed rest and what it needs besides, if the parser takes it.
  private static func command(_ typed: TypedCommand, _ change: ([String]) -> [String]) -> String? {
    typed.working(WholeCommand.completed(typed.path, change(typed.rest)))
  }
}
