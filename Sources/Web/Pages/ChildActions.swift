import LatchkeyModel
import LatchkeyRules

/// The ways from a child's page to others, and what a parent does there with one press.
enum ChildActions {
  static let template = """
    <section aria-label="[[What you can do]]">
    <p class="row"><a href="/children/{{id}}/times">[[Times and limits]]</a>
    <a href="/children/{{id}}/applications">[[Applications]]</a>
    <a href="/activity?child={{id}}">[[Activity]]</a></p>
    {{#hasBedtime}}
    <form method="post" action="/children/later" class="row">
    <input type="hidden" name="token" value="{{token}}"><input type="hidden" name="child" value="{{id}}">
    <input type="hidden" name="key" value="{{key}}-{{id}}"><input type="hidden" name="version" value="{{bedtimeVersion}}">
    <button name="minutes" value="30" class="quiet">[[Bedtime 30 min later today]]</button>
    <button name="minutes" value="60" class="quiet">[[Bedtime 1 h later today]]</button>
    </form>
    {{/hasBedtime}}
    {{#hasMachine}}
    <form method="post" action="/children/message" class="row">
    <input type="hidden" name="token" value="{{token}}"><input type="hidden" name="child" value="{{id}}">
    <label class="wide">[[Message]] <input name="text" maxlength="1000" required></label>
    <button class="quiet">[[Send]]</button>
    </form>
    {{/hasMachine}}
    </section>
    """

  /// Returns what is offered by what holds.
  static func data(_ plan: ChildPlan) -> PageData {
    let today = plan.today
    let exception = plan.plan.exceptions.last { $0.days.contains(today) && $0.rules.bedtime != nil }?.rules.bedtime
    let windows = exception?.windows ?? plan.plan.bedtime?[today.weekday] ?? []
    return [
      "hasBedtime": !windows.isEmpty, "hasMachine": !plan.machines.isEmpty,
      "bedtimeVersion": plan.version(of: .bedtime),
    ]
  }
}
