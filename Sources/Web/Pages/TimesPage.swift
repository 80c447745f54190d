import LatchkeyModel
import LatchkeyNode
import LatchkeyRules

/// The page about a child's times and limits: the week, the days that differ, and a form for each
/// rule.
enum TimesPage {
  static let page = Page("/children/{child}/times", whoMay: [.parent, .phone], template: text) { call in
    let plan = try await ChildPlan.read(of: try call.child(), at: call.node)
    return (title(plan), data(plan, now: call.now))
  }

  /// The template, for a form that shows the page again.
  static let template = PageFrame.template(text)

  static func title(_ plan: ChildPlan) -> Phrase { Phrase("Times and limits of {child}", ["child": .text(plan.name)]) }

  /// The fields of a form that is shown again.
  struct Entered {
    var rule: PlanRule
    var fields: FormFields
    var fault: PlanEdit.Fault
  }

  private static let text = """
    <h1>{{heading}}</h1>
    <p><a href="/children/{{id}}">{{back}}</a></p>
    <section id="week"{{#isLive}} data-live{{/isLive}}>
    <h2>[[The week]]</h2>
    \(PlanChart.template)
    </section>
    <section id="days"{{#isLive}} data-live{{/isLive}}>
    <h2>[[Single days]]</h2>
    {{^hasExceptions}}<p>[[No day differs from the plan.]]</p>{{/hasExceptions}}
    {{#hasExceptions}}
    <div class="scroll" tabindex="0" role="region" aria-label="[[Single days]]">
    <table>
    <thead><tr><th scope="col">[[Days]]</th><th scope="col">[[Name]]</th><th scope="col">[[What holds]]</th>\
    <th scope="col">[[Set]]</th><th scope="col"><span class="spoken">[[Remove]]</span></th></tr></thead>
    <tbody>
    {{#exceptions}}
    <tr><th scope="row">{{days}}</th><td>{{called}}</td><td class="words">{{words}}</td><td class="words">{{set}}</td><td>
    {{#removal}}<form method="post" action="/children/days/remove"><input type="hidden" name="token" value="{{token}}">\
    <input type="hidden" name="child" value="{{id}}"><input type="hidden" name="key" value="{{key}}">\
    <input type="hidden" name="version" value="{{version}}">\
    <button class="quiet">[[Remove]] <span class="spoken">{{label}}</span></button></form>{{/removal}}
    </td></tr>
    {{/exceptions}}</tbody></table></div>{{/hasExceptions}}</section>
    <section>
    <h2>[[Change]]</h2>
    <p class="note">[[Nothing is saved before you have read what changes, and from when.]]</p>
    <div class="cards">
    {{#forms}}
    <article class="card" aria-labelledby="rule-{{rule}}">
    <h3 id="rule-{{rule}}">{{title}}</h3>
    <p>{{meaning}}</p>
    <p><strong>{{present}}</strong></p>
    {{#fault}}<p class="word fault fault-text" id="fault-{{rule}}" role="alert">{{.}}</p>{{/fault}}
    <form method="post" action="/children/times">
    <input type="hidden" name="token" value="{{token}}"><input type="hidden" name="child" value="{{id}}">
    <input type="hidden" name="rule" value="{{rule}}"><input type="hidden" name="version" value="{{version}}">
    <label>{{label}} <input name="value" value="{{value}}" maxlength="400" aria-describedby="hint-{{rule}}{{#isWrong}} fault-{{rule}}{{/isWrong}}"\
    {{#isValueWrong}} aria-invalid="true"{{/isValueWrong}}></label>
    {{#hasLength}}<label>[[Length of a break]] <input name="length" value="{{length}}" maxlength="20" \
    aria-describedby="hint-{{rule}}"></label>{{/hasLength}}
    <p class="note" id="hint-{{rule}}">{{hint}}</p>
    {{#hasDays}}
    <fieldset>
    <legend>[[When it holds]]</legend>
    <label class="choice"><input type="radio" name="when" value="always"{{#isAlways}} checked{{/isAlways}}> [[Always]]</label>
    <label class="choice"><input type="radio" name="when" value="today"{{#isToday}} checked{{/isToday}}> [[Only today]]</label>
    <label class="choice"><input type="radio" name="when" value="days"{{#isDays}} checked{{/isDays}}> [[Only on these days:]]</label>
    <div class="row">
    <label>[[First day]] <input type="date" name="first" value="{{first}}"{{#isFirstWrong}} aria-invalid="true"{{/isFirstWrong}}></label>
    <label>[[Last day]] <input type="date" name="last" value="{{last}}"{{#isLastWrong}} aria-invalid="true"{{/isLastWrong}}></label>
    <label class="wide">[[Name of these days]] <input name="name" value="{{dayName}}" maxlength="64"\
    {{#isNameWrong}} aria-invalid="true"{{/isNameWrong}}></label>
    </div></fieldset>{{/hasDays}}
    <button>[[Look at the change]] <span class="spoken">{{title}}</span></button>
    </form></article>{{/forms}}</div></section>
    {{#hasOthers}}
    <section id="others"{{#isLive}} data-live{{/isLive}}>
    <h2>[[Hours and limits of applications]]</h2>
    <ul>{{#others}}<li>{{.}}</li>{{/others}}</ul>
    <p><a href="/children/{{id}}/applications">[[Applications]]</a></p>
    </section>{{/hasOthers}}
    """

  /// Returns the data of the page, with a form that is shown again.
  static func data(_ plan: ChildPlan, entered: Entered? = nil, now: Int64) -> PageData {
    let clock = PageClock(zone: plan.day.zone, now: now)
    let exceptions = plan.exceptions
    let others = others(plan)
    return [
      "id": plan.child, "heading": title(plan), "back": Phrase("{child}'s day", ["child": .text(plan.name)]),
      "isLive": entered == nil, "chart": PlanChart.data(plan.plan, hours: plan.hours),
      "hasExceptions": !exceptions.isEmpty, "exceptions": exceptions.map { exception($0, plan, clock) },
      "forms": PlanRule.allCases.map { form($0, plan, entered?.rule == $0 ? entered : nil) },
      "hasOthers": !others.isEmpty, "others": others,
    ]
  }

  private static func exception(_ listing: RuleListing, _ plan: ChildPlan, _ clock: PageClock) -> PageData {
    let days = RuleKey(listing.key)?.days ?? DayRange(plan.today)
    let set: [String: Phrase.Argument] = [
      "machine": .text(listing.setBy.text), "moment": .phrase(clock.moment(listing.setAt)),
    ]
    let removal: PageData = [
      "key": listing.key.text, "version": ChildPlan.version(of: [listing]),
      "label": Phrase("{name}", ["name": listing.nameArgument]),
    ]
    return PageData(known: [
      "days": PlanWords.days(days), "called": plan.name(of: days) ?? "–", "words": listing.said,
      "set": listing.isFamilys
        ? Phrase("for the whole family on {machine}, {moment}", set) : Phrase("on {machine}, {moment}", set),
      "removal": listing.isFamilys ? nil : removal,
    ])
  }

  private static func form(_ rule: PlanRule, _ plan: ChildPlan, _ entered: Entered?) -> PageData {
    let (typed, fields) = (plan.shown(rule), entered?.fields)
    let (when, wrong) = (fields?["when"] ?? "always", entered?.fault.field)
    return PageData(known: [
      "rule": rule.rawValue, "title": rule.title, "meaning": rule.meaning, "label": rule.label, "hint": rule.hint,
      "present": plan.words(rule).map { Phrase("Now: {words}", ["words": $0]) } ?? Phrase("Now: not set"),
      "version": plan.version(of: rule), "value": fields.map { Phrase(verbatim: $0["value"] ?? "") } ?? typed.value,
      "hasLength": rule == .breaks, "length": fields.map { Phrase(verbatim: $0["length"] ?? "") } ?? typed.length,
      "hasDays": rule.entryOfDays != nil, "isAlways": when == "always", "isToday": when == "today",
      "isDays": when == "days", "first": fields?["first"] ?? "", "last": fields?["last"] ?? "",
      "dayName": fields?["name"] ?? "", "isWrong": entered != nil, "isValueWrong": wrong == "value",
      "isFirstWrong": wrong == "first", "isLastWrong": wrong == "last", "isNameWrong": wrong == "name",
      "fault": entered?.fault.phrase,
    ])
  }

  /// Returns the hours and limits other than those of all screen time.
  private static func others(_ plan: ChildPlan) -> [Phrase] {
    let entries = [
      AppRule.hours.entry, AppRule.limit.entry, GroupRule.hours.entry, GroupRule.limit.entry, GroupRule.weekly.entry,
      CategoryRule.limit.entry, CategoryRule.weekly.entry,
    ]
    return (plan.rules.rules + plan.rules.family).filter { listing in
      listing.notInForce == nil && (RuleKey(listing.key).map { entries.contains($0.entry) } ?? false)
    }.map(\.said)
  }
}

/// The page that says in words what a form changes, before it is saved.
enum ConfirmPage {
  static let template = PageFrame.template(
    """
    <h1>{{heading}}</h1>
    <p>[[Nothing is saved yet.]]</p>
    <ul>{{#sentences}}<li>{{.}}</li>{{/sentences}}</ul>
    <form method="post" action="{{action}}">
    <input type="hidden" name="token" value="{{token}}"><input type="hidden" name="confirm" value="yes">
    {{#fields}}<input type="hidden" name="{{name}}" value="{{value}}">{{/fields}}
    <p class="row"><button>[[Save]]</button> <a href="{{back}}">[[Back without a change]]</a></p>
    </form>
    """)

  static func page(
    _ title: Phrase, _ sentences: [Phrase], action: String, fields: [(name: String, value: String)], back: String
  ) -> FormPage {
    FormPage(
      template: template, title: title,
      data: [
        "heading": title, "sentences": sentences, "action": action, "back": back,
        "fields": fields.map { ["name": $0.name, "value": $0.value] as PageData },
      ])
  }
}
