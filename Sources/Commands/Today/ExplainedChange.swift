import LatchkeyModel
import LatchkeyNode

/// What a parent would have to change for an application to run.
enum ExplainedChange {
  /// Returns a sentence with a command for each rule that closes the application; `nil` if none
  /// does.
  static func sentence(_ found: ChildExplanation) -> String? {
    guard let child = word(found.name.text), let app = word(found.app.appID.text) else { return nil }
    var commands: [String] = []
    for rule in found.rules where !rule.isOpen {
      let command = "latchkey " + command(rule.rule, child, app)
      if !commands.contains(command) { commands.append(command) }
    }
    guard !commands.isEmpty else { return nil }
    return "A parent lets it run with " + ShownText.list(commands.map { "`\($0)`" }) + "."
  }

  /// Returns the rest of the command that opens what a rule closes.
  private static func command(_ rule: String, _ child: String, _ app: String) -> String {
    let parts = rule.split(separator: " ", maxSplits: 1)
    let group = parts.count == 2 ? word(String(parts[1])) ?? "" : ""
    return switch parts.first {
    case "blocked": "app set \(app) --child \(child) --unblocked"
    case "groupBlocked": "apps group set \(group) --child \(child) --unblocked"
    case "unknownPrograms": "settings set --child \(child) --unknown-programs count"
    case "programs": "app set \(app) --child \(child) --always-allowed"
    case "lock": "unlock \(child)"
    case "bedtime": "bedtime set --child \(child) --today none"
    case "school": "times --child \(child) --today --school none"
    case "rewardTimes": "times --child \(child) --today --reward 00:00-24:00"
    case "appHours": "app set \(app) --child \(child) --hours none"
    case "groupHours": "apps group set \(group) --child \(child) --hours none"
    case "points": "points adjust \(child) +30 --reason gift"
    case "redeemedTime": "points adjust \(child) +30 --reason gift"
    default: "grant \(child) 30m"
    }
  }

  /// Returns a text as it is typed in a shell, with quotes if it needs them; `nil` if it has
  /// characters that a shell does not take so.
  private static func word(_ text: String) -> String? {
    guard ShellWord.isPlain(text) else { return nil }
    return text.allSatisfy { $0.isLetter || $0.isNumber || $0 == "." || $0 == "-" } ? text : "\"\(text)\""
  }
}
