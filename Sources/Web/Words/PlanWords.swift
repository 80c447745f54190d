import LatchkeyModel
import LatchkeyNode
import LatchkeyRules

/// The sentences about a change of times or limits, before and after it is made.
enum PlanWords {
  /// Returns sentences about what changes, from when, and which machines get it later.
  static func sentences(of edit: PlanEdit, _ plan: ChildPlan, _ clock: PageClock) -> [Phrase] {
    [new(edit.changes, plan), old(edit, plan), start(edit, plan, clock), familys(edit)].compactMap(\.self)
      + machines(plan)
  }

  static func new(_ changes: [RuleRequest.Change], _ plan: ChildPlan) -> Phrase {
    let terms = RuleTerms(zone: plan.day.zone)
    let (set, removed) = (changes.filter { $0.value != nil }, changes.filter { $0.value == nil })
    func keys(_ changes: [RuleRequest.Change]) -> [(key: RegisterKey, value: String?)] {
      changes.compactMap { change in RegisterKey(change.key).map { ($0, change.value) } }
    }
    var words = RuleText.changes(keys(set), terms)
    // A change for every day also says what happens to its weekdays.
    if set.isEmpty {
      let (weekdays, others) = (keys(removed).filter(Self.isOfWeekday), keys(removed).filter { !Self.isOfWeekday($0) })
      words += RuleText.changes(others + weekdays, terms)
    }
    return Phrase("{child}: {changes}.", ["child": .text(plan.name), "changes": .list(words.map { .phrase($0) })])
  }

  private static func isOfWeekday(_ change: (key: RegisterKey, value: String?)) -> Bool {
    RuleKey(change.key)?.weekday != nil
  }

  private static func old(_ edit: PlanEdit, _ plan: ChildPlan) -> Phrase {
    if let days = edit.days, let key = edit.rule.key(on: days), let words = plan.inForce(key)?.valueArgument {
      return Phrase("Until now, this is set for these days: {words}.", ["words": words])
    }
    guard let words = plan.words(edit.rule) else {
      return edit.days == nil ? Phrase("Until now, nothing is set.") : Phrase("On other days, nothing is set.")
    }
    return edit.days == nil
      ? Phrase("Until now: {words}.", ["words": words])
      : Phrase("On other days, this goes on: {words}.", ["words": words])
  }

  private static func start(_ edit: PlanEdit, _ plan: ChildPlan, _ clock: PageClock) -> Phrase? {
    if let days = edit.days {
      return days == DayRange(plan.today)
        ? Phrase("It holds today alone, from now on.")
        : Phrase("It holds on {days} alone.", ["days": .phrase(Self.days(days))])
    }
    guard let value = edit.changes.first(where: { $0.value != nil })?.value else {
      switch edit.rule {
      case .daily: return Phrase("Screen time a day is unlimited then, at once on machines that are in touch.")
      case .weekly: return Phrase("Screen time a week is unlimited then, at once on machines that are in touch.")
      default: return Phrase("It ends at once on machines that are in touch.")
      }
    }
    switch edit.rule {
    case .weekly: return Phrase("It holds from now on, and what was used since Monday counts.")
    case .daily, .carryOver, .breaks: return Phrase("It holds from now on, and what was used today counts.")
    case .bedtime, .school, .reward: return next(value, plan, clock)
    }
  }

  /// Returns a phrase about when times begin next, or that they have begun.
  private static func next(_ value: String, _ plan: ChildPlan, _ clock: PageClock) -> Phrase? {
    guard let windows = try? WeekWindows(typed: value), let boundary = plan.boundary else { return nil }
    var next: Int64?
    for offset in -1...7 {
      let day = plan.today.advanced(byDays: offset)
      for window in windows[day.weekday] {
        let start = boundary.instant(on: day, minute: window.start)
        let end = boundary.instant(on: day, minute: window.start + window.length)
        if start <= clock.now, clock.now < end {
          return Phrase(
            "It is that time now, so it holds at once, until {moment}.", ["moment": .phrase(clock.moment(end))])
        }
        if start > clock.now, next.map({ start < $0 }) ?? true { next = start }
      }
    }
    return next.map { Phrase("It begins next: {moment}.", ["moment": .phrase(clock.moment($0))]) }
  }

  /// Returns a sentence about the family's rule, which applies once the child's own is removed;
  /// `nil` if the edit does not remove it.
  private static func familys(_ edit: PlanEdit) -> Phrase? {
    let removed = edit.changes.filter { $0.value == nil && $0.key == edit.rule.key.text }
    guard edit.changes.allSatisfy({ $0.value == nil }), !removed.isEmpty else { return nil }
    return Phrase("If something is set for the whole family, that holds then.")
  }

  /// Returns a sentence about the machines that get a change at once, and those that get it later.
  static func machines(_ plan: ChildPlan) -> [Phrase] {
    if plan.machines.isEmpty { return [Phrase("No machine is this child's yet: it holds as soon as there is one.")] }
    let (near, away) = (plan.machines.filter(\.isConnected), plan.machines.filter { !$0.isConnected })
    var phrases: [Phrase] = []
    if !near.isEmpty {
      phrases.append(
        Phrase(
          one: "{machines} is told at once.", other: "{machines} are told at once.", count: near.count,
          ["machines": .list(near.map { .text($0.device.name.text) })]))
    }
    for machine in away {
      phrases.append(
        Phrase("{machine} is off, and is told when it is back.", ["machine": .text(machine.device.name.text)]))
    }
    return phrases
  }

  /// Returns the sentence for a form that came too late, about the rule as it is set now.
  static func meanwhile(_ title: Phrase, _ listings: [RuleListing], _ clock: PageClock) -> Phrase {
    guard let newest = listings.max(by: { $0.setAt < $1.setAt }) else {
      return Phrase(
        """
        Nothing was saved: “{rule}” was changed meanwhile, and is not set any more. Look at it, and send it again if you still \
        want it.
        """, ["rule": .phrase(title)])
    }
    return Phrase(
      """
      Nothing was saved: “{rule}” was changed meanwhile, the last time on {machine}, {when}: {name} {words}. Look at it, and \
      send yours again if you still want it.
      """,
      [
        "rule": .phrase(title), "machine": .text(newest.setBy.text), "when": .phrase(clock.moment(newest.setAt)),
        "name": newest.nameArgument, "words": newest.valueArgument,
      ])
  }

  static func days(_ days: DayRange) -> Phrase {
    let first = PageClock.day(days.first)
    return days.first == days.last
      ? first : Phrase("{first} – {last}", ["first": .phrase(first), "last": .phrase(PageClock.day(days.last))])
  }
}

extension RuleListing {
  /// The name and the value, such as `screen time a day: 2 h`.
  var said: Phrase { phrase ?? Phrase("{rule}: {value}", ["rule": .text(name), "value": .text(words)]) }
  /// The rule's subject, such as an application, or else the rule's name.
  var subjectArgument: Phrase.Argument {
    if case .phrase(let name)? = said.arguments["rule"], let what = name.arguments["what"] { return what }
    return nameArgument
  }
  var nameArgument: Phrase.Argument { said.arguments["rule"] ?? .text(name) }
  var valueArgument: Phrase.Argument { said.arguments["value"] ?? .text(words) }
}
