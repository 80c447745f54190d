import LatchkeyModel
import LatchkeyNode
import LatchkeyRules

/// The exceptions for single days that are set for an owner.
///
/// On each day, one exception of each kind holds: of the child's, the one that was set last;
/// otherwise, of the family's, the one that was set last.
///
/// Spec: Protocol/11-rules.md §2.
struct DatedExceptions {
  struct Entry {
    let rule: RuleListing
    let key: RuleKey
    let days: DayRange
    let isFamilys: Bool
    let name: String?
    /// The exception in words, such as "“screen time on 2026-12-23..2027-01-06 4 h” (Christmas)".
    let words: String

    /// The exception in words, marked as the family's if it is.
    var owned: String { isFamilys && rule.isFamilys ? "the family's \(words)" : words }
  }

  /// Days on which one exception holds instead of another.
  struct Overlap {
    let days: DayRange
    let holds: Entry
    let instead: Entry
  }

  private let entries: [Entry]

  /// Creates the exceptions of an owner and those of the family, without some keys.
  init(_ rules: OwnedRules, family: [RuleListing]? = nil, without keys: Set<String> = []) {
    let family = family ?? rules.family
    entries = [(rules.rules, rules.child == nil), (family, true)].flatMap { list, isFamilys in
      list.compactMap { Self.entry($0, isFamilys, rules, names: list) }
    }.filter { !keys.contains($0.rule.key.text) }.sorted {
      ($0.isFamilys ? 0 : 1, $0.rule.setAt) < ($1.isFamilys ? 0 : 1, $1.rule.setAt)
    }
  }

  private static func entry(_ rule: RuleListing, _ isFamilys: Bool, _ rules: OwnedRules, names: [RuleListing]) -> Entry?
  {
    guard rule.notInForce == nil, let key = RuleKey(rule.key), isException(key), let days = key.days else { return nil }
    let name = names.first { $0.key.text == DayRule.name.key(on: days).text }?.value
    let words = "“\(RuleText.phrase(rule.key, rule.value, rules.terms))”" + (name.map { " (\($0))" } ?? "")
    return Entry(rule: rule, key: key, days: days, isFamilys: isFamilys, name: name, words: ShownText.safe(words))
  }

  private static func isException(_ key: RuleKey) -> Bool {
    key.days != nil && ![DayRule.name.entry, DayRule.grant.entry, DayRule.deduction.entry].contains(key.entry)
  }

  /// The days on which one of two exceptions of the same kind holds instead of the other.
  var overlaps: [Overlap] {
    entries.indices.flatMap { last in
      entries[..<last].flatMap { earlier -> [Overlap] in
        guard let days = Self.common(entries[last].key, earlier) else { return [] }
        return daysOn(days, last).map { Overlap(days: $0, holds: entries[last], instead: earlier) }
      }
    }
  }

  /// Returns the days on which an exception holds, because no later one of its kind does.
  private func daysOn(_ days: DayRange, _ index: Int) -> [DayRange] {
    let later = entries[(index + 1)...].filter { $0.key.entry == entries[index].key.entry }
    var found: [DayRange] = []
    for day in days.each where !later.contains(where: { $0.days.contains(day) }) {
      if let range = found.last, range.last.advanced(byDays: 1) == day, let longer = DayRange(range.first, through: day)
      {
        found[found.count - 1] = longer
      } else {
        found.append(DayRange(day))
      }
    }
    return found
  }

  /// Returns the overlaps with an exception that was set just now.
  func overlaps(with key: RuleKey) -> [(days: DayRange, other: Entry)] {
    entries.compactMap { entry in Self.common(key, entry).map { ($0, entry) } }
  }

  /// Returns the exceptions that hold on days of a removed key, and whether one holds on each day.
  func holding(instead key: RuleKey) -> (entries: [Entry], isEachDay: Bool) {
    guard let days = key.days, Self.isException(key) else { return ([], true) }
    var (found, isEachDay) = ([Entry](), true)
    for day in days.each {
      let entry = entries.last { $0.key.entry == key.entry && $0.days.contains(day) }
      if let entry, !found.contains(where: { $0.rule == entry.rule }) { found.append(entry) }
      if entry == nil { isEachDay = false }
    }
    return (found, isEachDay)
  }

  private static func common(_ key: RuleKey, _ other: Entry) -> DayRange? {
    guard let days = key.days, isException(key), key.entry == other.key.entry else { return nil }
    let (first, last) = (max(days.first, other.days.first), min(days.last, other.days.last))
    return first <= last ? DayRange(first, through: last) : nil
  }

  /// Returns sentences on the exceptions that the new ones replace.
  static func replaced(by changes: [RuleRequest.Change], _ rules: OwnedRules) -> [String] {
    let others = DatedExceptions(rules, without: Set(changes.map(\.key)))
    return changes.filter { $0.value != nil }.compactMap(\.rule).flatMap {
      others.overlaps(with: $0).map { days, other in
        "On \(days) this holds instead of \(other.owned), which was set before."
      }
    }
  }

  /// Returns a sentence on what holds after an exception was removed; `nil` if the plan does, or if
  /// the family's exceptions for the same days do.
  func sentence(for key: RuleKey, _ whom: String, _ name: String) -> String? {
    let (found, isEachDay) = holding(instead: key)
    guard !found.isEmpty, found.contains(where: { $0.rule.key.text != key.text }) else { return nil }
    let holds = ShownText.list(found.map(\.owned))
    return "\(whom): “\(ShownText.safe(name))” is no longer set. Now \(holds) \(found.count == 1 ? "holds" : "hold")"
      + (isEachDay ? "." : ", and on the other days the plan holds.")
  }

  /// Returns sentences on children whose own rules hold instead of the new rules of the family: the
  /// same rule, or one for a weekday or for single days.
  static func childrens(instead changes: [RuleRequest.Change], at node: any NodeInterface) async throws -> [String] {
    let set = changes.filter { $0.value != nil }
    let keys = set.compactMap(\.rule).filter { ![AppRule.name.entry, DayRule.name.entry].contains($0.entry) }
    /// A child's rule that is the same as the new one needs no sentence.
    func isSame(_ rule: RuleListing) -> Bool {
      set.contains { $0.key == rule.key.text && RuleKey(rule.key)?.entry.isSame($0.value, rule.value) == true }
    }
    guard !keys.isEmpty else { return [] }
    var sentences: [String] = []
    for child in try await node.ask(Endpoints.getChildren) {
      let rules = OwnedRules(try await node.ask(Endpoints.getRules, child.childID.description))
      let own = DatedExceptions(rules, family: [])
      let name = ShownText.safe(child.name.text)
      for (days, other) in keys.flatMap(own.overlaps) where !isSame(other.rule) {
        sentences.append("Not for \(name) on \(days): \(other.words) holds there, which is set for the child alone.")
      }
      let plan = keys.filter { $0.days == nil }
      for rule in rules.rules where rule.notInForce == nil && !rule.isFamilys {
        guard let key = RuleKey(rule.key), key.days == nil, !isSame(rule),
          plan.contains(where: { holds(key, insteadOf: $0) })
        else { continue }
        let days = key.weekday != nil && !plan.contains(key) ? " on these days" : ""
        sentences.append(
          "Not for \(name)\(days): “\(ShownText.safe(RuleText.phrase(rule.key, rule.value, rules.terms)))” holds there, which is set "
            + "for the child alone.")
      }
      let today = try? TypedDays.today.resolved(rules)
      for key in plan {
        for other in own.entries where HeldRules.exceptions[key.entry] == other.key.entry {
          guard let today, other.days.contains(today.first) else { continue }
          sentences.append("Not for \(name) today: \(other.words) holds there, which is set for the child alone.")
        }
      }
    }
    return sentences
  }

  /// Returns whether a child's rule of the plan holds instead of one of the family's.
  private static func holds(_ own: RuleKey, insteadOf familys: RuleKey) -> Bool {
    own.everyDay == familys.everyDay && (own.weekday == nil || familys.weekday == nil || own.weekday == familys.weekday)
  }
}

extension DayRange {
  fileprivate var each: [FamilyDay] {
    (0...Int(last.daysSinceEpoch - first.daysSinceEpoch)).map { first.advanced(byDays: $0) }
  }
}
