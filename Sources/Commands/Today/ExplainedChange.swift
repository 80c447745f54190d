import LatchkeyModel
import LatchkeyNode

/// What a parent would have to change for an application to run.
enum ExplainedChange {
  /// Returns a sentence with a command for each rule that closes the application; `nil` if none
  /// does, if commands do not open all of them, or if the day is over.
  ///
  /// Programs that count as one application and were closed as not listed are allowed one by one.
  static func sentence(_ found: ChildExplanation) -> String? {
    guard found.opening.day >= found.opening.today, let child = word(found.name.text),
      let app = word(found.app.appID.text)
    else { return nil }
    let isOfMany = found.app.appID.isOfMany
    let isRefused = found.opening.isRefused && !isOfMany
    let isUnlisted = found.rules.contains { $0.rule == "programs" && !$0.isOpen }
    var commands: [String] = []
    for rule in found.rules where !rule.isOpen && !(isOfMany && rule.rule == "programs") {
      guard let all = self.commands(rule.rule, found, child, app) else { return nil }
      for command in all where !commands.contains("`latchkey \(command)`") { commands.append("`latchkey \(command)`") }
    }
    // A program of the child's own needs a matcher as well, even if a rule lists it already.
    let allow = "`latchkey apps allow \(app) --child \(child)`"
    if isRefused, found.opening.isUnrecognized, !commands.contains(where: { $0.hasPrefix("`latchkey apps allow ") }) {
      commands.append(allow)
    }
    var sentences = commands.isEmpty ? [] : ["A parent lets it run with \(ShownText.list(commands))."]
    if commands.contains(where: { !Self.isOfDay($0) }) {
      let isToday = found.opening.day == found.opening.today
      sentences.append(
        commands.count == 1
          ? "That holds from then on, not \(isToday ? "today" : "on that day") alone."
          : "What is not for \(isToday ? "today" : "that day") alone holds from then on.")
    }
    if isOfMany, isUnlisted {
      sentences.append(
        "`latchkey apps refused --child \(child)` lists what was closed, with the command that allows each.")
    } else if !isRefused, found.opening.isUnrecognized {
      sentences.append(
        "When it is started, it is closed, and `latchkey apps refused --child \(child)` lists it with the command that allows "
          + "it.")
    } else if isUnlisted, found.opening.mayBeOwn {
      sentences.append(
        "If its program is in a folder of the child's own, it is closed all the same when it is started: "
          + "`latchkey apps refused --child \(child)` lists it then, with the command that allows it.")
    } else if isRefused, !isUnlisted, !found.opening.isUnrecognized {
      sentences.append("\(allow) allows the file of it that was refused.")
    }
    return sentences.isEmpty ? nil : sentences.joined(separator: " ")
  }

  /// Returns whether the effect of a command ends with its day, or with a lock.
  private static func isOfDay(_ command: String) -> Bool {
    command.contains(" --today ") || command.contains(" --day ")
      || ["grant", "points", "unlock"].contains { command.hasPrefix("`latchkey \($0) ") }
  }

  /// Returns the commands that open what a rule closes, without `latchkey`; `nil` for none.
  private static func commands(_ rule: String, _ found: ChildExplanation, _ child: String, _ app: String) -> [String]? {
    let parts = rule.split(separator: " ", maxSplits: 1)
    let group = parts.count == 2 ? word(String(parts[1])) : nil
    let opening = found.opening
    let isToday = opening.day == opening.today
    let day = isToday ? "--today" : "--day \(opening.day)"
    switch parts.first {
    case "blocked": return ["app set \(app) --child \(child) --unblocked"]
    case "groupBlocked": return group.map { ["apps group set \($0) --child \(child) --unblocked"] }
    case "unknownPrograms": return ["settings set --child \(child) --unknown-programs count"]
    case "programs":
      let enabled = opening.enabledCategory.map { "--enabled --category \($0.rawValue)" }
      // What is installed in the child's own folders is recognized by nothing yet.
      if opening.isRefused {
        return (enabled.map { ["app set \(app) --child \(child) \($0)"] } ?? [])
          + ["apps allow \(app) --child \(child)"]
      }
      return ["app set \(app) --child \(child) \(enabled ?? "--category \(found.app.category.rawValue)")"]
    case "lock": return ["unlock \(child)"]
    case "bedtime":
      // In the morning, it is the bedtime of the day before, which is over.
      let clock = TodayText.clock(found.at, at: found.at, zone: found.zone)
      return clock < "12:00" ? nil : ["bedtime set --child \(child) \(day) none"]
    case "breaks":
      // The family's would hold instead of the child's.
      let (own, family) = (["breaks remove --child \(child)"], ["breaks remove --family"])
      return opening.hasFamilysBreaks ? (opening.hasOwnBreaks ? own : []) + family : own
    case "school": return ["times --child \(child) \(day) --school none"]
    case "rewardTimes": return ["times --child \(child) \(day) --reward \(wholeDay(from: opening.dayStartHour))"]
    case "appHours": return ["app set \(app) --child \(child) --hours 00:00-24:00"]
    case "groupHours": return group.map { ["apps group set \($0) --child \(child) --hours 00:00-24:00"] }
    case "points": return ["points adjust \(child) +30 --reason gift"]
    case "redeemedTime", "unnamed": return nil
    default:
      // Time is granted for the present day alone. Half an hour is left of it.
      guard isToday, let missing = opening.missingMinutes else { return nil }
      return ["grant \(child) \(min(missing + 29, 1_440))m"]
    }
  }

  /// Returns all times of a family day as a person types them; those before its first hour are on
  /// the next date.
  static func wholeDay(from hour: Int) -> String {
    guard hour > 0 else { return "00:00-24:00" }
    let clock = "\(hour < 10 ? "0" : "")\(hour):00"
    return "\"00:00-\(clock), \(clock)-24:00\""
  }

  /// Returns a text as it is typed in a shell; `nil` if quotes do not make it safe.
  private static func word(_ text: String) -> String? {
    guard ShellWord.isPlain(text) else { return nil }
    return text.allSatisfy { $0.isLetter || $0.isNumber || $0 == "." || $0 == "-" } ? text : "\"\(text)\""
  }
}
