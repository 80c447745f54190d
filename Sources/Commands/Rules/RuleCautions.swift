import LatchkeyModel
import LatchkeyNode
import LatchkeyRules

/// Sentences on new rules whose effect may not be what a person meant.
enum RuleCautions {
  /// The rules whose hours are usually within one day.
  private static let ofOneDay = [
    AppRule.hours.entry, AppRule.limit.entry, GroupRule.hours.entry, GroupRule.limit.entry, ChildRule.school.entry,
    ChildRule.rewardTimes.entry, DayRule.school.entry, DayRule.rewardTimes.entry,
  ]

  static func sentences(_ changes: [RuleRequest.Change], _ edit: OwnedEdit) -> [String] {
    let rules = edit.rules
    return outside(of: changes, rules) + unrecognized(edit.members) + overMidnight(changes)
      + withoutLimit(changes, rules) + DatedExceptions.replaced(by: changes, rules) + unlikely(changes)
      + timeToSave(changes, rules)
  }

  /// Returns a sentence on what holds outside of the hours of new limits, unless the application or
  /// group has hours of its own.
  private static func outside(of changes: [RuleRequest.Change], _ rules: OwnedRules) -> [String] {
    let isOpen = changes.contains { change in
      guard change.value?.contains(" within ") == true, let rule = change.rule else { return false }
      if let app = rule.application, rule.entry == AppRule.limit.entry {
        return rules.inForce(AppRule.hours.key(of: app).text) == nil
      }
      if let group = rule.group, rule.entry == GroupRule.limit.entry {
        return rules.inForce(GroupRule.hours.key(of: group).text) == nil
      }
      return false
    }
    return isOpen ? ["Outside of these hours it is not limited: --hours closes it then."] : []
  }

  private static func unrecognized(_ members: [EditedApp]) -> [String] {
    let names = members.filter { !$0.isRecognized }.map { ShownText.safe($0.name) }
    if names.isEmpty { return [] }
    return [
      "Nothing is recognized as \(ShownText.list(names)) so far, so the group's rules close nothing of it: "
        + "`latchkey app set --help` shows how to say which programs they are."
    ]
  }

  /// Returns sentences on hours that end on the next day, which a bedtime is meant to do.
  private static func overMidnight(_ changes: [RuleRequest.Change]) -> [String] {
    onHours(changes) { key, text in
      guard ofOneDay.contains(key.entry), let window = try? ClockWindow(typed: text), window.end <= window.start else {
        return nil
      }
      return "\(window.text) goes over midnight: it ends at \(window.text.suffix(5)) on the next day."
    }
  }

  /// Returns sentences on bedtimes longer than 14 hours, and on other hours before 7:00.
  private static func unlikely(_ changes: [RuleRequest.Change]) -> [String] {
    onHours(changes) { key, text in
      let parts = text.split { ":-".contains($0) }.compactMap { Int($0) }
      guard parts.count == 4 else { return nil }
      let (start, end) = (parts[0] * 60 + parts[1], parts[2] * 60 + parts[3])
      let length = end > start ? end - start : end - start + 1_440
      if [ChildRule.bedtime.entry, DayRule.bedtime.entry].contains(key.entry), length > 840 {
        return "The bedtime \(text) is \(SpanText.minutes(length)) long."
      }
      guard ofOneDay.contains(key.entry), start < end, end <= 420 else { return nil }
      return "\(text) is in the morning: hours are 0 to 24, so that 4 in the afternoon is 16:00."
    }
  }

  /// Returns sentences on hours in the values of rules, such as `20:00-07:00`, each once.
  private static func onHours(
    _ changes: [RuleRequest.Change], _ sentence: (RuleKey, Substring) -> String?
  ) -> [String] {
    var sentences: [String] = []
    for change in changes {
      guard let key = change.rule else { continue }
      for match in (change.value ?? "").matches(of: /\d{1,2}:\d\d-\d{1,2}:\d\d/) {
        if let sentence = sentence(key, match.output), !sentences.contains(sentence) { sentences.append(sentence) }
      }
    }
    return sentences
  }

  /// Returns a sentence on unused time that goes over to the next day although no day has a limit.
  private static func withoutLimit(_ changes: [RuleRequest.Change], _ rules: OwnedRules) -> [String] {
    let key = ChildRule.carryOver.key.text
    guard changes.contains(where: { $0.key == key && $0.value.map { $0 != "0" } == true }) else { return [] }
    let limit = ChildRule.dailyLimit.key.text
    let isLimited = (rules.rules + rules.family).contains { rule in
      (rule.key.text == limit || rule.key.text.hasPrefix(limit + "/")) && rule.value != "none"
    }
    let whom = rules.child.map { "--child \(ShellWord.person($0.name.text))" } ?? "--family"
    return isLimited
      ? [] : ["It has an effect once there is a limit a day: `latchkey limit set \(whom) --daily 2h` sets one."]
  }

  /// Returns a sentence on programs that may run longer after a lock, to save.
  private static func timeToSave(_ changes: [RuleRequest.Change], _ rules: OwnedRules) -> [String] {
    let isLock = changes.contains { change in
      change.key == ChildRule.lock.key.text && change.value.map { $0 != Lock.off.text && !$0.hasSuffix(" now") } == true
    }
    guard isLock else { return [] }
    let seconds = (rules.rules + rules.family).compactMap { rule -> Int64? in
      guard rule.notInForce == nil, RuleKey(rule.key)?.entry == AppRule.grace.entry else { return nil }
      return Int64(rule.value)
    }
    guard let longest = seconds.max(), longest > RuleSet.App().grace else { return [] }
    return ["Programs with more time to save may run for up to \(longest) s more; --now gives none."]
  }
}
