import LatchkeyModel
import LatchkeyNode
import LatchkeyRules

/// The page for parents about a child's week: the use by day and category, applications, and rules
/// in words.
enum ChildPage {
  static let page = Page("/children/{child}", whoMay: [.parent, .phone], template: template) { call in
    let child = try call.child()
    let day = try await call.node.ask(Endpoints.getToday, child)
    let today = FamilyDay(day.day) ?? .first
    let month = call.query["month"].flatMap { FamilyDay($0) }
    let monday = start(of: call.query["week"].flatMap { FamilyDay($0) } ?? month ?? today)
    let shown = month.map { PageClock.month(of: $0) } ?? (0..<7).map { monday.advanced(byDays: $0) }
    let days = try await call.node.ask(
      Endpoints.getUseReport, (child, "day", shown.first?.description, shown.last?.description))
    let rules = try await call.node.ask(Endpoints.getRules, child)
    let peers = try await call.node.ask(Endpoints.getStatus).peers
    let plan = ChildPlan(day, rules, peers)
    let lineDay = call.query["day"].flatMap { FamilyDay($0) } ?? today
    var parts: PageData = [:]
    // A phone does not see what is recorded in detail.
    if call.viewer != .phone {
      parts = try await DayLine.read(plan, on: min(lineDay, today), at: call.node, now: call.now)
    }
    parts.merge(ChildActions.data(plan)) { $1 }
    if day.milliPoints != nil {
      let points = try await call.node.ask(Endpoints.getPoints, (child, PointsSection.shown))
      parts.merge(PointsSection.data(points, of: child, PageClock(zone: day.zone, now: call.now))) { $1 }
    }
    return (
      Phrase(verbatim: day.name.text),
      data(day, today, monday, days, rules, peers, isMonth: month != nil, now: call.now).merging(parts) { $1 }
    )
  }

  static let template = """
    <h1>{{name}}</h1>
    <section id="now" data-live>
    <p class="figure">{{figure}}</p>
    {{#reason}}<p>{{.}}</p>{{/reason}}
    \(UseBar.template)
    <p>{{used}}</p>
    {{#stale}}<p class="word fault">{{.}}</p>{{/stale}}
    {{#notices}}<p class="word">{{.}}</p>{{/notices}}
    </section>
    \(ChildActions.template)
    <section id="week" data-live>
    <h2>{{week}}</h2>
    <p class="row"><a href="/children/{{id}}?{{span}}={{before}}">[[Earlier]]</a>
    {{#after}}<a href="/children/{{id}}?{{span}}={{.}}">[[Later]]</a>{{/after}}
    {{#isEarlier}}<a href="/children/{{id}}?{{span}}={{present}}">[[Now]]</a>{{/isEarlier}}
    {{#isMonth}}<a href="/children/{{id}}?week={{same}}">[[By week]]</a>{{/isMonth}}
    {{^isMonth}}<a href="/children/{{id}}?month={{same}}">[[By month]]</a>{{/isMonth}}
    {{^isPhone}}<a href="/children/{{id}}/use.csv?from={{first}}&amp;to={{last}}">[[Keep as a table (CSV)]]</a>{{/isPhone}}</p>
    \(WeekChart.template)
    </section>
    <section id="applications" data-live>
    <h2>[[Applications of this time]]</h2>
    {{^hasApplications}}<p>[[Nothing was used then, as far as this machine knows.]]</p>{{/hasApplications}}
    {{#hasApplications}}
    <div class="scroll" tabindex="0" role="region" aria-label="[[Applications of this time]]">
    <table>
    <thead><tr><th scope="col">[[Application]]</th><th scope="col">[[Category]]</th><th scope="col" class="number">[[Used]]</th>\
    <th scope="col">[[Now]]</th></tr></thead>
    <tbody>
    {{#applications}}
    <tr><th scope="row">{{name}}</th><td>{{category}}</td><td class="number">{{used}}</td><td>{{now}}</td></tr>
    {{/applications}}</tbody></table></div>{{/hasApplications}}</section>
    <section id="exceptions" data-live>
    {{#hasExceptions}}<h2>[[Given and taken today]]</h2>
    <ul>{{#exceptions}}<li>{{words}}{{#fault}} <span class="fault">[[Not in force everywhere: {fault}]]</span>{{/fault}}
    <span class="age">{{set}}</span></li>{{/exceptions}}</ul>{{/hasExceptions}}
    </section>
    \(DayLine.template)
    \(PointsSection.template)
    <section id="rules" data-live>
    <h2>[[Rules]]</h2>
    {{^hasRules}}<p>[[No rules are set: everything is recorded, and nothing is closed.]]</p>{{/hasRules}}
    <ul>{{#rules}}<li>{{words}}{{#fault}} <span class="fault">[[Not in force everywhere: {fault}]]</span>{{/fault}}
    <span class="age">{{set}}</span></li>{{/rules}}</ul>
    {{#hasFamilys}}<h3>[[Of the whole family]]</h3>
    <ul>{{#familys}}<li>{{words}}{{#fault}} <span class="fault">[[Not in force everywhere: {fault}]]</span>{{/fault}}
    <span class="age">{{set}}</span></li>{{/familys}}</ul>{{/hasFamilys}}
    </section>
    """

  /// Returns the data of the page.
  ///
  /// `monday` is the first day of the week to show, or of a week with a day of the month to show.
  /// With `isMonth`, the page shows the month of the report's first day instead.
  static func data(
    _ day: ChildToday, _ today: FamilyDay, _ monday: FamilyDay, _ report: UseReport, _ rules: ChildRules,
    _ peers: [PeerStatus], isMonth: Bool = false, now: Int64
  ) -> PageData {
    let clock = PageClock(zone: day.zone, now: now)
    let first = isMonth ? FamilyDay(report.from) ?? monday : monday
    let shown = isMonth ? PageClock.month(of: first) : (0..<7).map { monday.advanced(byDays: $0) }
    let (last, named) = (shown.last ?? first, ["day": Phrase.Argument.phrase(PageClock.day(first))])
    let week = isMonth ? Phrase("Month from {day}", named) : Phrase("Week of {day}", named)
    let days = shown.map { day -> (day: FamilyDay, use: [AppCategory: Int64]) in
      let categories = report.periods.first { $0.start == day.description }?.categories ?? []
      return (day, Dictionary(categories.map { ($0.category, $0.usedMilliseconds) }) { $0 + $1 })
    }
    let rows = applications(report, day, clock)
    let exceptions = rules.rules.compactMap { exception($0, clock) }
    let own = rules.rules.filter { exception($0, clock) == nil && isRule($0) }
    let familys = rules.family.filter(isRule)
    let isEarlier = last < today
    let machines = peers.filter { rules.child.machines.contains($0.device.name) }
    return PageData(known: [
      "id": day.childID.description, "name": day.name.text, "figure": PageWords.figure(day.screen),
      "used": PageWords.used(day), "notices": day.notices, "week": week,
      "before": first.advanced(byDays: isMonth ? -1 : -7).description, "isEarlier": isEarlier, "isMonth": isMonth,
      "span": isMonth ? "month" : "week", "present": today.description, "same": (isEarlier ? first : today).description,
      "first": first.description, "last": last.description,
      "chart": WeekChart.data(
        days,
        label: Phrase("{week}: use by day and category, with the numbers in the table below", ["week": .phrase(week)])),
      "applications": rows, "hasApplications": !rows.isEmpty,
      "exceptions": exceptions, "hasExceptions": !exceptions.isEmpty,
      "rules": own.map { rule($0, clock) }, "familys": familys.map { rule($0, clock) },
      "hasRules": !own.isEmpty || !familys.isEmpty, "hasFamilys": !familys.isEmpty,
      "stale": PageWords.stale(rules.child, machines, clock), "reason": PageWords.reason(day.screen, clock),
      "after": isEarlier ? last.advanced(byDays: 1).description : nil, "bar": UseBar.data(day),
    ])
  }

  /// Returns the Monday of a day's week.
  static func start(of day: FamilyDay) -> FamilyDay { day.advanced(byDays: -PageClock.weekday(day)) }

  private static func applications(_ report: UseReport, _ day: ChildToday, _ clock: PageClock) -> [PageData] {
    var sums: [AppID: UseReport.Row] = [:]
    for row in report.periods.flatMap(\.rows) {
      sums[row.appID, default: row.withoutUse].milliseconds += row.milliseconds
    }
    let order = sums.values.sorted { ($1.milliseconds, $0.displayName) < ($0.milliseconds, $1.displayName) }
    return order.filter { $0.milliseconds >= 60_000 }.map { row in
      let now = day.apps.first { $0.appID == row.appID }.map { PageWords.application($0, clock) }
      return [
        "name": ProgramsName.phrase(row.displayName), "category": PageWords.title(row.category),
        "used": PageWords.span(row.milliseconds), "now": now ?? PageWords.none,
      ]
    }
  }

  /// Returns a sentence about time that was given or taken today; `nil` for any other rule.
  private static func exception(_ rule: RuleListing, _ clock: PageClock) -> PageData? {
    let entry = RuleKey(rule.key)?.entry
    guard entry == DayRule.grant.entry || entry == DayRule.deduction.entry else { return nil }
    var data = self.rule(rule, clock)
    let words = ["words": rule.valueArgument]
    data["words"] = entry == DayRule.grant.entry ? Phrase("More: {words}", words) : Phrase("Less: {words}", words)
    return data
  }

  /// Returns whether a rule allows, closes or rewards anything.
  ///
  /// The names, categories and matchers of applications are on the page of applications instead.
  private static func isRule(_ listing: RuleListing) -> Bool {
    let others = [AppRule.name.entry, AppRule.category.entry, AppRule.matchers.entry, DayRule.name.entry]
    return RuleKey(listing.key).map { !others.contains($0.entry) } ?? true
  }

  private static func rule(_ rule: RuleListing, _ clock: PageClock) -> PageData {
    PageData(known: [
      "words": rule.said,
      // A zone that a machine has set by itself has no time.
      "set": rule.setAt == 0
        ? Phrase("set by the machine itself")
        : Phrase("set by {name}, {ago}", ["name": .text(rule.setBy.text), "ago": .phrase(clock.ago(rule.setAt))]),
      "fault": rule.notInForcePhrase ?? rule.notInForce.map { Phrase(verbatim: $0) },
    ])
  }
}

extension UseReport.Row {
  fileprivate var withoutUse: UseReport.Row {
    var row = self
    row.milliseconds = 0
    return row
  }
}

/// The links of a child's page to other pages, and the buttons on it.
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
    </form>{{/hasBedtime}}
    {{#hasMachine}}
    <form method="post" action="/children/message" class="row">
    <input type="hidden" name="token" value="{{token}}"><input type="hidden" name="child" value="{{id}}">
    <label class="wide">[[Message]] <input name="text" maxlength="1000" required></label>
    <button class="quiet">[[Send]]</button>
    </form>{{/hasMachine}}</section>
    """

  /// Returns the links and buttons that fit the present state.
  static func data(_ plan: ChildPlan) -> PageData {
    [
      "hasBedtime": !plan.bedtimeToday.isEmpty, "hasMachine": !plan.machines.isEmpty,
      "bedtimeVersion": plan.version(of: .bedtime),
    ]
  }
}
