import LatchkeyModel
import LatchkeyNode
import LatchkeyRules

/// The page for parents about a child's applications: those that are installed or were used, with
/// their rules, and a form that changes several at once.
enum ApplicationsPage {
  /// The number of days whose use is shown.
  static let days = 28
  /// The largest number of applications on the page.
  ///
  /// The form may have a field for each.
  static let most = 250

  static let page = Page("/children/{child}/applications", whoMay: [.parent, .phone], template: text) { call in
    let found = try await KnownApplications.read(of: try call.child(), at: call.node)
    return (title(found), data(found, ApplicationFilter(call.query), now: call.now))
  }

  /// The template, for a form that shows the page again.
  static let template = PageFrame.template(text)

  static func title(_ found: KnownApplications) -> Phrase {
    Phrase("Applications of {child}", ["child": .text(found.name)])
  }

  private static let text = """
    <h1>{{heading}}</h1>
    <p><a href="/children/{{id}}">{{back}}</a></p>
    {{#hasRefused}}
    <section id="refused"{{#isLive}} data-live{{/isLive}}>
    <h2>[[Closed because they are not listed]]</h2>
    <p>[[What is allowed here may run from then on, by the rules of its application.]]</p>
    <ul class="plain">
    {{#refused}}
    <li class="card">
    <p><strong>{{name}}</strong> <span class="age">{{when}}</span></p>
    {{#file}}<p class="note">[[The child's own file: {file}]]</p>{{/file}}
    {{#isUnallowable}}<p class="word fault">[[It cannot be allowed here, because it may run whatever it is given: \
    `latchkey apps refused` says what to do instead.]]</p>{{/isUnallowable}}
    {{#isAllowable}}
    <form method="post" action="/children/allow" class="row">
    <input type="hidden" name="token" value="{{token}}"><input type="hidden" name="child" value="{{id}}">
    <input type="hidden" name="program" value="{{program}}">
    <label>[[Category]] <select name="category">
    {{#categories}}<option value="{{word}}"{{#isChosen}} selected{{/isChosen}}>{{label}}</option>{{/categories}}
    </select></label>
    <button>[[Allow]] <span class="spoken">{{name}}</span></button>
    </form>{{/isAllowable}}</li>{{/refused}}</ul>
    {{#moreRefused}}<p class="note">{{.}}</p>{{/moreRefused}}
    </section>{{/hasRefused}}
    <section>
    <h2>[[All applications]]</h2>
    <form method="get" action="/children/{{id}}/applications" class="row">
    <label class="wide">[[Search]] <input name="q" type="search" value="{{query}}" maxlength="100"></label>
    <label>[[Show]] <select name="show">
    {{#filters}}<option value="{{word}}"{{#isChosen}} selected{{/isChosen}}>{{label}}</option>{{/filters}}
    </select></label>
    <button class="quiet">[[Search]]</button>
    </form>
    {{#fault}}<p class="word fault fault-text" id="fault" role="alert">{{.}}</p>{{/fault}}
    {{^hasApplications}}<p>[[No application fits.]]</p>{{/hasApplications}}
    {{#hasApplications}}
    <form method="post" action="/children/applications">
    <input type="hidden" name="token" value="{{token}}"><input type="hidden" name="child" value="{{id}}">
    <input type="hidden" name="q" value="{{query}}"><input type="hidden" name="show" value="{{show}}">
    <div class="scroll" tabindex="0" role="region" aria-label="[[Applications]]">
    <table>
    <caption>{{caption}}</caption>
    <thead><tr><th scope="col"><span class="spoken">[[Change]]</span></th><th scope="col">[[Application]]</th>\
    <th scope="col">[[Category]]</th><th scope="col" class="number">[[Used]]</th>\
    <th scope="col" class="number">[[Points a minute]]</th><th scope="col">[[Allowed]]</th>\
    <th scope="col">[[Limit a day]]</th><th scope="col">[[Where]]</th></tr></thead>
    <tbody>
    {{#applications}}
    <tr><td><label class="choice"><input type="checkbox" name="app:{{app}}" id="app-{{number}}" value="{{version}}"{{#isChecked}} checked{{/isChecked}}></label></td>\
    <th scope="row"><label for="app-{{number}}" class="plainly">{{name}}</label>\
    {{#groups}} <span class="age">{{.}}</span>{{/groups}}</th><td>{{category}}</td>\
    <td class="number">{{used}}</td><td class="number">{{rate}}</td><td{{#isBrief}} class="brief"{{/isBrief}}>{{allowed}}</td><td>{{limit}}</td>\
    <td>{{places}}</td></tr>
    {{/applications}}</tbody></table></div>
    {{#more}}<p class="note">{{.}}</p>{{/more}}
    <fieldset>
    <legend>[[Change all that are ticked]]</legend>
    <p class="note">[[What is left as it is does not change.]]</p>
    <div class="row">
    <label>[[Category]] <select name="category">
    {{#kinds}}<option value="{{word}}"{{#isChosen}} selected{{/isChosen}}>{{label}}</option>{{/kinds}}
    </select></label>
    <label>[[Use]] <select name="use">
    {{#uses}}<option value="{{word}}"{{#isChosen}} selected{{/isChosen}}>{{label}}</option>{{/uses}}
    </select></label>
    <label class="narrow">[[Limit a day]] <input name="limit" value="{{enteredLimit}}" maxlength="200" \
    aria-describedby="limit-hint"></label>
    <label class="narrow">[[Points a minute]] <input name="rate" value="{{enteredRate}}" maxlength="20" inputmode="decimal" \
    aria-describedby="limit-hint"></label>
    <button>[[Change]]</button>
    </div>
    <p class="note" id="limit-hint">[[A limit is a time such as 45min or 1h30m, by weekday such as mon-fri 1h, sat-sun 2h, \
    or none. Points are a number such as 2 or 0.5, or none.]]</p>
    </fieldset></form>{{/hasApplications}}</section>
    """

  /// Returns the data of the page, with a form that is shown again, and its fault.
  static func data(
    _ found: KnownApplications, _ filter: ApplicationFilter, entered: FormFields? = nil, fault: Phrase? = nil,
    now: Int64
  ) -> PageData {
    let clock = PageClock(zone: found.zone, now: now)
    let fitting = found.apps.filter(filter.fits)
    let shown = fitting.prefix(most)
    let (hidden, unlisted) = (fitting.count - shown.count, found.moreRefused)
    return PageData(known: [
      "id": found.child, "heading": title(found), "back": Phrase("{child}'s day", ["child": .text(found.name)]),
      "isLive": entered == nil, "query": filter.text, "show": filter.kind.rawValue,
      "filters": ApplicationFilter.Kind.allCases.map { option($0.rawValue, $0.label, filter.kind.rawValue) },
      "hasRefused": !found.refused.isEmpty, "refused": found.refused.map { refused($0, clock) },
      "hasApplications": !shown.isEmpty,
      "caption": Phrase("Used is the time of the last {count} days.", ["count": .number(days)]),
      "applications": shown.enumerated().map { row($1, number: $0, isChecked: entered?["app:\($1.id)"] != nil) },
      "kinds": options(ApplicationChoice.categories, entered?["category"]),
      "uses": options(ApplicationChoice.uses, entered?["use"]),
      "enteredLimit": entered?["limit"] ?? "", "enteredRate": entered?["rate"] ?? "", "fault": fault,
      "more": hidden == 0
        ? nil
        : Phrase(
          one: "1 more application is not shown: search for it.",
          other: "{count} more applications are not shown: search for them.", count: hidden),
      "moreRefused": unlisted <= 0
        ? nil
        : Phrase(
          one: "1 more program was closed than the list has room for: what is allowed makes room.",
          other: "{count} more programs were closed than the list has room for: what is allowed makes room.",
          count: unlisted),
    ])
  }

  private static func row(_ app: KnownApplications.App, number: Int, isChecked: Bool) -> PageData {
    let hasHours = app.hours != nil || app.groups.contains { $0.hours != nil }
    return PageData(known: [
      "app": app.id.text, "version": app.version, "number": number, "isChecked": isChecked, "name": app.name,
      "category": ApplicationChoice.category(app),
      "used": app.used < 60_000 ? PageWords.none : PageWords.span(app.used),
      "rate": app.rate.map { PageWords.number($0) } ?? PageWords.none, "allowed": ApplicationChoice.allowed(app),
      "limit": ApplicationChoice.limit(app) ?? PageWords.none, "isBrief": !hasHours,
      "places": app.places.isEmpty ? "–" : app.places.joined(separator: ", "), "groups": ApplicationChoice.groups(app),
    ])
  }

  private static func refused(_ program: RefusedListing, _ clock: PageClock) -> PageData {
    let category = (program.category ?? .neutral).rawValue
    return PageData(known: [
      "program": ApplicationForms.mark(of: program), "isUnallowable": !program.isAllowable,
      "isAllowable": program.isAllowable, "name": program.displayName,
      "when": Phrase(
        "closed {moment} on {machine}",
        ["moment": .phrase(clock.moment(program.refusedAt)), "machine": .text(program.deviceName.text)]),
      "categories": AppCategory.allCases.map { option($0.rawValue, PageWords.title($0), category) },
      "file": program.file.map { ["file": $0] as PageData },
    ])
  }

  private static func options(_ choices: [(word: String, label: Phrase)], _ chosen: String?) -> [PageData] {
    choices.map { option($0.word, $0.label, chosen ?? "") }
  }

  private static func option(_ word: String, _ label: Phrase, _ chosen: String) -> PageData {
    ["word": word, "label": label, "isChosen": word == chosen]
  }
}
