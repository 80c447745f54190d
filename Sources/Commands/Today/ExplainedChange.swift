import LatchkeyModel
import LatchkeyNode
import LatchkeyRules

/// What a parent would have to change for an application to run.
enum ExplainedChange {
  /// Returns a sentence with a command for each rule that closes the application; `nil` if none
  /// does, or no single command opens one of them.
  ///
  /// Of many programs, those that were closed because they are not listed are allowed one by one.
  static func sentence(_ found: ChildExplanation) -> String? {
    guard let child = word(found.name.text), let app = word(found.app.appID.text) else { return nil }
    let isOfMany = found.app.appID.isOfMany
    var commands: [String] = []
    for rule in found.rules where !rule.isOpen && !(isOfMany && rule.rule == "programs") {
      guard let rest = rest(rule.rule, found, child, app) else { return nil }
      if !commands.contains("`latchkey \(rest)`") { commands.append("`latchkey \(rest)`") }
    }
    var sentences = commands.isEmpty ? [] : ["A parent lets it run with \(ShownText.list(commands))."]
    if commands.contains(where: { !Self.isOfToday($0) }) {
      sentences.append(
        commands.count == 1
          ? "That holds from then on, not today alone." : "What is not for today alone holds from then on.")
    }
    if isOfMany, found.rules.contains(where: { $0.rule == "programs" && !$0.isOpen }) {
      sentences.append(
        "`latchkey apps refused --child \(child)` lists what was closed, with the command that allows each.")
    }
    return sentences.isEmpty ? nil : sentences.joined(separator: " ")
  }

  /// Returns whether what a command gives ends with the day, or with a lock.
  private static func isOfToday(_ command: String) -> Bool {
    command.contains("--today") || ["grant", "points", "unlock"].contains { command.hasPrefix("`latchkey \($0) ") }
  }

  /// Returns the command that opens what a rule closes, without `latchkey`; `nil` for none.
  private static func rest(_ rule: String, _ found: ChildExplanation, _ child: String, _ app: String) -> String? {
    let parts = rule.split(separator: " ", maxSplits: 1)
    let group = parts.count == 2 ? word(String(parts[1])) : nil
    switch parts.first {
    case "blocked": return "app set \(app) --child \(child) --unblocked"
    case "groupBlocked": return group.map { "apps group set \($0) --child \(child) --unblocked" }
    case "unknownPrograms": return "settings set --child \(child) --unknown-programs count"
    case "programs": return "app set \(app) --child \(child) --category \(found.app.category.rawValue)"
    case "lock": return "unlock \(child)"
    case "bedtime":
      // In the morning, it is the bedtime of the day before, which is over.
      let clock = TodayText.clock(found.at, at: found.at, zone: found.zone)
      return clock < "12:00" ? nil : "bedtime set --child \(child) --today none"
    case "breaks": return "breaks remove --child \(child)"
    case "school": return "times --child \(child) --today --school none"
    case "rewardTimes": return "times --child \(child) --today --reward 00:00-24:00"
    case "appHours": return "app set \(app) --child \(child) --hours 00:00-24:00"
    case "groupHours": return group.map { "apps group set \($0) --child \(child) --hours 00:00-24:00" }
    case "points": return "points adjust \(child) +30 --reason gift"
    case "redeemedTime": return nil
    default: return "grant \(child) 30m"
    }
  }

  /// Returns a text as it is typed in a shell, with quotes if it needs them; `nil` if it has
  /// characters that a shell does not take so.
  private static func word(_ text: String) -> String? {
    guard ShellWord.isPlain(text) else { return nil }
    return text.allSatisfy { $0.isLetter || $0.isNumber || $0 == "." || $0 == "-" } ? text : "\"\(text)\""
  }
}
