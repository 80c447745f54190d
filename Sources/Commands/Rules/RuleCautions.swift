import LatchkeyModel
import LatchkeyRules

/// Sentences on new rules whose effect may not be what a person meant.
enum RuleCautions {
  static func sentences(_ changes: [RuleRequest.Change], _ rules: OwnedRules) -> [String] {
    hours(changes) + timeToSave(changes, rules)
  }

  /// Returns sentences on bedtimes longer than 14 hours, and on other hours before 7:00.
  private static func hours(_ changes: [RuleRequest.Change]) -> [String] {
    let bedtimes = [ChildRule.bedtime.entry, DayRule.bedtime.entry]
    let others = [
      AppRule.hours.entry, AppRule.limit.entry, GroupRule.hours.entry, GroupRule.limit.entry, ChildRule.school.entry,
      ChildRule.rewardTimes.entry, DayRule.school.entry, DayRule.rewardTimes.entry,
    ]
    var sentences: [String] = []
    for change in changes {
      guard let key = RegisterKey(change.key).flatMap({ RuleKey($0) }) else { continue }
      for match in (change.value ?? "").matches(of: /(\d{1,2}):(\d\d)-(\d{1,2}):(\d\d)/) {
        let parts = [match.output.1, match.output.2, match.output.3, match.output.4].compactMap { Int($0) }
        guard parts.count == 4 else { continue }
        let (start, end) = (parts[0] * 60 + parts[1], parts[2] * 60 + parts[3])
        let length = end > start ? end - start : end - start + 1_440
        var sentence: String?
        if bedtimes.contains(key.entry), length > 840 {
          sentence = "The bedtime \(match.output.0) is \(SpanText.minutes(length)) long."
        } else if others.contains(key.entry), start < end, end <= 420 {
          sentence = "\(match.output.0) is in the morning: hours are 0 to 24, so that 4 in the afternoon is 16:00."
        }
        if let sentence, !sentences.contains(sentence) { sentences.append(sentence) }
      }
    }
    return sentences
  }

  /// Returns a sentence on programs that may run longer after a lock, since they have more time to
  /// save.
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
