import LatchkeyModel
import LatchkeyNode
import LatchkeyRules

/// Changes of times and limits, which are said in words before they are saved.
///
/// If the rule is not that of the version in the form any more, nothing is saved.
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
        // Another tab was faster, after this one has looked.
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

  /// Returns the changes that remove what holds on some days, with a name that only it has.
  private static func removal(of listing: RuleListing, _ days: DayRange, _ plan: ChildPlan) -> [RuleRequest.Change] {
    let others = plan.exceptions.filter { !$0.isFamilys && $0.key != listing.key && RuleKey($0.key)?.days == days }
    let name = DayRule.name.key(on: days)
    let isLast = others.isEmpty && plan.own(name.text) != nil
    return [.init(listing.key.text, nil)] + (isLast ? [name.change(nil)] : [])
  }
}
