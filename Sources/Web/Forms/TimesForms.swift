import LatchkeyModel
import LatchkeyNode
import LatchkeyRules

/// The forms that change times and limits.
///
/// The change is shown in words before it is saved.
///
/// If the rule has changed since the version in the form, nothing is saved.
enum TimesForms {
  private static let carried = ["child", "rule", "version", "value", "length", "when", "first", "last", "name"]

  static let all = [
    Form(path: "/children/times", whoMay: [.parent, .phone]) { call in
      guard let rule = PlanRule(rawValue: try call.field("rule")) else {
        throw PageFault(400, "There is no such rule: go back, load the page again and send it once more.")
      }
      let plan = try await ChildPlan.read(of: try call.child(), at: call.node)
      let clock = PageClock(zone: plan.day.zone, now: call.now)
      let version = try call.field("version")
      guard version == plan.version(of: rule) else {
        let words = PlanWords.meanwhile(rule.title, plan.listings(of: rule), clock)
        return again(rule, PlanEdit.Fault("version", words), call, plan, status: 409)
      }
      let edit: PlanEdit
      do throws(PlanEdit.Fault) { edit = try PlanEdit(rule, call.fields, plan) } catch {
        return again(rule, error, call, plan, status: 400)
      }
      let back = "/children/\(plan.child)/times"
      guard call.fields["confirm"] != nil else {
        let fields = carried.compactMap { name in call.fields[name].map { (name, $0) } }
        return FormOutcome(
          shown: ConfirmPage.page(
            Phrase("Change “{rule}”?", ["rule": .phrase(rule.title)]),
            PlanWords.sentences(of: edit, plan, clock), action: "/children/times", fields: fields, back: back))
      }
      let made: RuleEdit
      do throws(LocalAPIError) {
        let request = RuleRequest(edit.changes, seen: plan.seen(rule, edit.changes))
        made = try await call.node.ask(Endpoints.setRules, (plan.child, request))
      } catch {
        guard error.code == .tooLate else { throw error }
        // Another tab has made a change since the check above.
        let present = try await ChildPlan.read(of: plan.child, at: call.node)
        let words = PlanWords.meanwhile(rule.title, present.listings(of: rule), clock)
        return again(rule, PlanEdit.Fault("version", words), call, present, status: 409)
      }
      return FormOutcome(
        sentences: [Phrase("Saved."), PlanWords.new(edit.changes, plan)] + PageWords.late(made.machines, clock),
        page: back)
    },
    Form(path: "/children/days/remove", whoMay: [.parent, .phone]) { call in
      let plan = try await ChildPlan.read(of: try call.child(), at: call.node)
      let clock = PageClock(zone: plan.day.zone, now: call.now)
      let (key, version, back) = (try call.field("key"), try call.field("version"), "/children/\(plan.child)/times")
      guard let listing = plan.own(key), ChildPlan.version(of: [listing]) == version,
        let days = RuleKey(listing.key)?.days
      else { throw removedMeanwhile }
      let changes = removal(of: listing, days, plan)
      guard call.fields["confirm"] != nil else {
        let sentences =
          [
            Phrase(
              "{child}: “{rule}” is removed, which says: {words}.",
              ["child": .text(plan.name), "rule": listing.nameArgument, "words": listing.valueArgument]),
            Phrase("On {days}, the plan holds again.", ["days": .phrase(PlanWords.days(days))]),
          ] + PlanWords.machines(plan)
        return FormOutcome(
          shown: ConfirmPage.page(
            Phrase("Remove what holds on single days?"), sentences, action: "/children/days/remove",
            fields: [("child", plan.child), ("key", key), ("version", version)], back: back))
      }
      let made: RuleEdit
      do throws(LocalAPIError) {
        let request = RuleRequest(changes, seen: changes.map { .init($0.key, plan.own($0.key)?.value) })
        made = try await call.node.ask(Endpoints.setRules, (plan.child, request))
      } catch {
        if error.code == .tooLate { throw removedMeanwhile }
        throw error
      }
      return FormOutcome(
        sentences: [Phrase("On {days}, the plan holds again.", ["days": .phrase(PlanWords.days(days))])]
          + PageWords.late(made.machines, clock), page: back)
    },
  ]

  private static let removedMeanwhile = PageFault(
    409, "Nothing was removed: that was changed or removed meanwhile. Go back and look at it again.")

  private static func again(
    _ rule: PlanRule, _ fault: PlanEdit.Fault, _ call: FormCall, _ plan: ChildPlan, status: Int
  ) -> FormOutcome {
    let entered = TimesPage.Entered(rule: rule, fields: call.fields, fault: fault)
    return FormOutcome(
      shown: FormPage(
        status: status, template: TimesPage.template, title: TimesPage.title(plan),
        data: TimesPage.data(plan, entered: entered, now: call.now)))
  }

  /// Returns the changes that remove the rule of some days, and also the name of these days if no
  /// other rule uses it.
  private static func removal(of listing: RuleListing, _ days: DayRange, _ plan: ChildPlan) -> [RuleRequest.Change] {
    let others = plan.exceptions.filter { !$0.isFamilys && $0.key != listing.key && RuleKey($0.key)?.days == days }
    let name = DayRule.name.key(on: days)
    let isLast = others.isEmpty && plan.own(name.text) != nil
    return [.init(listing.key.text, nil)] + (isLast ? [name.change(nil)] : [])
  }
}

/// A change of a rule of times or limits that a parent has typed.
struct PlanEdit: Hashable, Sendable {
  struct Fault: Error, Hashable {
    var field: String
    var phrase: Phrase

    init(_ field: String, _ phrase: Phrase) { (self.field, self.phrase) = (field, phrase) }
    init(_ field: String, _ fault: RuleFault) { self.init(field, fault.phrase) }
  }

  var rule: PlanRule
  /// The days of the change; `nil` for always.
  var days: DayRange?
  /// The changes, at least one, with values in the stored form.
  var changes: [RuleRequest.Change]

  /// Creates a change from the fields of a form, as a person typed them.
  ///
  /// - Throws: `Fault` for a field that cannot be read, or if the form changes nothing.
  init(_ rule: PlanRule, _ fields: FormFields, _ plan: ChildPlan) throws(Fault) {
    self.rule = rule
    days = try Self.days(fields, plan.today)
    var changes: [RuleRequest.Change]
    do throws(RuleFault) {
      let value = try fields["value"].map { text throws(RuleFault) in
        try TypedInput.read(text, isOfTimes: rule.isOfTimes)
      }
      let typed = value == "none" ? nil : value
      if let days, let key = rule.key(on: days) {
        changes = [key.change(try Self.value(of: rule, onDays: typed))]
      } else {
        let length = try fields["length"].map { text throws(RuleFault) in try TypedInput.read(text) }
        changes = try Self.changes(of: rule, typed, length: length, plan)
      }
    } catch { throw Fault("value", error) }
    if let days, let name = fields["name"] {
      let key = DayRule.name.key(on: days)
      do throws(RuleFault) { changes.append(key.change(try Rule(key, typed: name).text)) } catch {
        throw Fault("name", error)
      }
    }
    do throws(RuleFault) { self.changes = try Self.real(changes, plan) } catch { throw Fault("value", error) }
    guard !self.changes.isEmpty else {
      throw Fault("value", Phrase("Nothing would change: this is how it is already."))
    }
  }

  /// Returns the days that a form means; `nil` for always.
  private static func days(_ fields: FormFields, _ today: FamilyDay) throws(Fault) -> DayRange? {
    switch fields["when"] ?? "always" {
    case "always":
      let field = ["first", "last", "name"].first { fields[$0] != nil }
      guard let field else { return nil }
      throw Fault(
        field, Phrase("Days or a name are filled in, and it would hold always: choose the days, or leave them empty."))
    case "today":
      guard let field = ["first", "last"].first(where: { fields[$0] != nil }) else { return DayRange(today) }
      throw Fault(
        field, Phrase("Days are filled in, and it would hold only today: choose the days, or leave them empty."))
    default:
      guard let first = fields["first"].flatMap(TypedInput.day) else {
        throw Fault("first", Phrase("Give the first day, such as 2026-12-23."))
      }
      guard let last = fields["last"].map(TypedInput.day) ?? first else {
        throw Fault("last", Phrase("Give the last day, such as 2027-01-06, or leave it empty for one day."))
      }
      guard last >= today else { throw Fault("last", Phrase("Those days are over: give today or later days.")) }
      guard let days = DayRange(first, through: last) else {
        throw Fault("last", Phrase("Give at most 366 days, the first one first."))
      }
      return days
    }
  }

  private static func value(of rule: PlanRule, onDays typed: String?) throws(RuleFault) -> String {
    guard let typed else { return "none" }
    return rule.isOfTimes ? TimesText.typed(typed) : DayRule.limit.text(try DayRule.limit.read(given: typed))
  }

  private static func changes(
    of rule: PlanRule, _ typed: String?, length: String?, _ plan: ChildPlan
  ) throws(RuleFault) -> [RuleRequest.Change] {
    let key = rule.key
    switch rule {
    case .bedtime, .school, .reward: return [key.change(typed.map(TimesText.typed))]
    case .weekly: return [key.change(try typed.map(given(ChildRule.weeklyLimit)))]
    case .carryOver: return [key.change(try typed.map(given(ChildRule.carryOver)))]
    case .breaks:
      guard let typed else { return [key.change(nil)] }
      let minutes = [typed, length ?? ""].map { SpanReader.minutes($0).map(String.init) ?? $0 }
      return [key.change(minutes.joined(separator: " "))]
    case .daily:
      guard let typed else { return [key.change(nil)] + DayLimits.Change.removal(of: key.text, on: Weekday.allCases) }
      let change = try DayLimits.Change(given: typed)
      if change.limits[nil] != nil { return change.changes(of: key.text, replacing: Weekday.allCases) }
      // The field shows the whole week. So a day that it does not name has no limit.
      return Weekday.allCases.compactMap { day in
        let wanted = change.limits[day] ?? nil
        return wanted == plan.plan.dailyLimit?[day] ? nil : key.on(day).change(ChildRule.dailyLimit.text(wanted))
      }
    }
  }

  /// Returns the function that reads an option's argument and writes it in the stored form.
  private static func given<Value>(
    _ kind: RuleKind<RuleSet, Value>
  ) -> (String) throws(RuleFault) -> String where Value: Hashable & Sendable {
    { text throws(RuleFault) in try kind.entry.given(text) }
  }

  /// Returns the changes that differ from the present rules, with values in the stored form.
  private static func real(
    _ changes: [RuleRequest.Change], _ plan: ChildPlan
  ) throws(RuleFault) -> [RuleRequest.Change] {
    var real: [RuleRequest.Change] = []
    for change in changes {
      guard let key = RegisterKey(change.key).flatMap({ RuleKey($0) }) else { continue }
      let value = try change.value.map { text throws(RuleFault) in try Rule(key, typed: text).text }
      if plan.own(change.key)?.value != value { real.append(.init(change.key, value)) }
    }
    return real
  }
}
