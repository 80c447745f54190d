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

  /// Returns what is wrong with a time in the place of the name of a child that is to be locked;
  /// `nil` for a name.
  static func sentence(insteadOfChild word: String?) -> String? {
    guard let word, let found = Time([word]) else { return nil }
    return lock(found)
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

  /// A time among the words of a command: a span such as `30m`, `90 min` and `for 1h`, or a time of
  /// the day after “until”.
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
