import LatchkeyModel

/// Times that parents type after the name of a child that they lock or unlock.
enum LockMistake {
  /// Words that stand before a time.
  private static let before: Set<String> = ["for", "till", "til", "until"]

  /// Returns whether a word is a time, also with a minus sign before it.
  static func isTime(_ word: String) -> Bool {
    let text = word.hasPrefix("-") ? String(word.dropFirst()) : word
    return text.first?.isNumber == true && SpanReader.minutes(SpanReader.meant(text) ?? text) != nil
  }

  /// Returns what is wrong with a time after the name of a child that is locked or unlocked, and
  /// the command to type; `nil` for any other mistake.
  static func sentence(_ first: String, _ typed: TypedCommand) -> String? {
    guard first.hasPrefix("Unknown option '-") && !first.hasPrefix("Unknown option '--") || first.isAboutMore,
      typed.path.count == 2, ["lock", "unlock"].contains(typed.path[1]), let found = Time(typed.rest)
    else { return nil }
    return typed.path[1] == "lock" ? lock(found) : unlock(found)
  }

  /// Returns what is wrong with a time in the place of a child to be locked; `nil` for a name.
  static func sentence(insteadOfChild word: String?) -> String? {
    guard let word, let found = Time([word]) else { return nil }
    return lock(found)
  }

  /// Words after the name of a child that are no other child's name.
  private static let noNames: Set<String> = [
    "a", "all", "an", "and", "at", "day", "evening", "for", "half", "hour", "hours", "immediately", "minutes",
    "morning", "night", "now", "one", "please", "the", "this", "till", "til", "today", "tomorrow", "tonight", "until",
  ]

  /// Returns what is wrong with words after the name of a child that are no names, such as `now`
  /// and `for an hour`; `nil` if all of them may be names.
  ///
  /// `names` are all the words before the options, with the child's name.
  static func sentence(names: [String], options: [String], _ typed: TypedCommand) -> String? {
    let more = names.dropFirst().map { $0.lowercased() }
    guard more.contains(where: noNames.contains), let child = names.first else { return nil }
    let others = names.filter { $0.lowercased() != "and" }
    if !others.dropFirst().contains(where: { noNames.contains($0.lowercased()) }) {
      let commands = others.map { typed.command([$0] + options) }
      return "This command is for one child at a time: type \(ShownText.list(commands))."
    }
    let alone = typed.command([child] + options)
    guard typed.path[1] == "lock" else { return "This command takes the name of a child alone: type \(alone)." }
    let text = more.filter { $0 != "for" }.joined(separator: " ")
    if ["immediately", "now", "now please"].contains(text) {
      return "A lock begins at once, and programs have the time to save that they are given: type \(alone). With "
        + "--now, they are ended without it."
    }
    let hasEnd = options.contains { $0.hasPrefix("--for") || $0.hasPrefix("--until") }
    if let time = ["an hour": "1h", "a hour": "1h", "one hour": "1h", "half an hour": "30m"][text], !hasEnd {
      return "The time of a lock follows --for: type \(typed.command([child] + options + ["--for", time]))."
    }
    return "The length of a lock follows --for, such as 1h, and its end --until, such as 20:00. An example: "
      + typed.command([child] + (hasEnd ? options : options + ["--for", "5m"])) + "."
  }

  private static func lock(_ found: Time) -> String {
    let (rest, command) = (found.rest, { TypedWord.command(["latchkey", "lock"] + $0) })
    if let clock = found.clock {
      return "The end of a lock follows --until: type `\(command(rest + ["--until", clock]))`."
    }
    guard (1...44_640).contains(found.minutes) else {
      let unlock = TypedWord.command(["latchkey", "unlock"] + rest.filter { $0 != "--now" })
      return "A lock is for 1 minute to 31 days, such as `\(command(rest + ["--for", "1h"]))`. Without a time, "
        + "`\(command(rest))` locks until `\(unlock)`."
    }
    guard found.isLess else {
      return "The time of a lock follows --for: type `\(command(rest + ["--for", found.text]))`."
    }
    let lock = "type `\(command(rest + ["--for", found.text]))`."
    return found.grant.map { "A lock takes no time away: `\($0)` does. To lock for that long, \(lock)" }
      ?? "A lock takes no time away. To lock for that long, \(lock)"
  }

  private static func unlock(_ found: Time) -> String {
    "A child is unlocked without a time: type `\(TypedWord.command(["latchkey", "unlock"] + found.rest))`."
      + (found.grant.map { " `\($0)` gives more time." } ?? "")
  }

  /// A time among words: a span such as `30m` and `for 1h`, or a time of the day after “until”.
  private struct Time {
    /// The words without the time and without what stands before it.
    var rest: [String]
    /// The span as one word without a sign; empty for a time of the day.
    var text = ""
    var minutes = 0
    /// A Boolean value that indicates whether a minus sign stands before the span.
    var isLess = false
    /// The time of the day.
    var clock: String?

    init?(_ words: [String]) {
      guard
        let start = words.indices.first(where: { index in
          (LockMistake.isTime(words[index]) || Time.isClock(words[index]))
            && (index == 0 || !words[index - 1].hasPrefix("--"))
        })
      else { return nil }
      let from = start > 0 && LockMistake.before.contains(words[start - 1].lowercased()) ? start - 1 : start
      var end = start + 1
      let isFor = from < start && words[from].lowercased() == "for"
      if Time.isClock(words[start]), !isFor {
        clock = words[start]
      } else {
        isLess = words[start].hasPrefix("-")
        let first = isLess ? String(words[start].dropFirst()) : words[start]
        text = SpanReader.meant(first) ?? first
        // `90 min` and `1 h 30 min` are one time.
        for index in words.indices where index >= end {
          let more = words[start...index].joined()
          guard SpanReader.minutes(isLess ? String(more.dropFirst()) : more) != nil else { continue }
          (text, end) = (isLess ? String(more.dropFirst()) : more, index + 1)
        }
        minutes = SpanReader.minutes(text) ?? 0
      }
      rest = Array(words[..<from] + words[end...])
    }

    /// The command that gives the time or takes it away; `nil` for more than a day and for none.
    var grant: String? {
      guard (1...1_440).contains(minutes) else { return nil }
      let child = rest.prefix { !$0.hasPrefix("-") }
      return TypedWord.command(["latchkey", "grant"] + child + [(isLess ? "-" : "") + text])
    }

    private static func isClock(_ word: String) -> Bool {
      guard let match = word.wholeMatch(of: /(\d{1,2}):(\d\d)/) else { return false }
      return (Int(match.output.1) ?? 24) < 24 && (Int(match.output.2) ?? 60) < 60
    }
  }
}
