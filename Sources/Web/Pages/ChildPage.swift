import LatchkeyModel
import LatchkeyNode
import LatchkeyRules

/// A child's week for parents: the use by day and category, the applications, and the rules in
/// words.
enum ChildPage {
  static let page = Page("/children/{child}", whoMay: [.parent], template: template) { call in
    guard let child = call.parameters["child"].flatMap({ ChildID($0) })?.description else {
      throw LocalAPIError(.unknownChild, "There is no such child: choose one on the first page.")
    }
    let day = try await call.node.ask(Endpoints.getToday, child)
    let today = FamilyDay(day.day) ?? .first
    let monday = start(of: call.query["week"].flatMap { FamilyDay($0) } ?? today)
    let days = try await call.node.ask(
      Endpoints.getUseReport, (child, "day", monday.description, monday.advanced(byDays: 6).description))
    let rules = try await call.node.ask(Endpoints.getRules, child)
    let peers = try await call.node.ask(Endpoints.getStatus).peers
    return (day.name.text, data(day, today, monday, days, rules, peers, now: call.now))
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
    <section id="week" data-live>
    <h2>{{week}}</h2>
    <p class="row"><a href="/children/{{id}}?week={{before}}">The week before</a>
    {{#after}}<a href="/children/{{id}}?week={{.}}">The week after</a>{{/after}}
    {{#isEarlier}}<a href="/children/{{id}}">This week</a>{{/isEarlier}}</p>
    \(WeekChart.template)
    </section>
    <section id="applications" data-live>
    <h2>Applications of this week</h2>
    {{^hasApplications}}<p>Nothing was used in this week, as far as this machine knows.</p>{{/hasApplications}}
    {{#hasApplications}}
    <div class="scroll" tabindex="0" role="region" aria-label="Applications of this week">
    <table>
    <thead><tr><th scope="col">Application</th><th scope="col">Category</th><th scope="col" class="number">Used</th>\
    <th scope="col">Now</th></tr></thead>
    <tbody>
    {{#applications}}
    <tr><th scope="row">{{name}}</th><td>{{category}}</td><td class="number">{{used}}</td><td>{{now}}</td></tr>
    {{/applications}}
    </tbody>
    </table>
    </div>
    {{/hasApplications}}
    </section>
    <section id="exceptions" data-live>
    {{#hasExceptions}}<h2>Given and taken today</h2>
    <ul>{{#exceptions}}<li>{{words}}{{#fault}} <span class="fault">Not in force everywhere: {{.}}</span>{{/fault}}
    <span class="age">{{set}}</span></li>{{/exceptions}}</ul>{{/hasExceptions}}
    </section>
    <section id="rules" data-live>
    <h2>Rules</h2>
    {{^hasRules}}<p>No rules are set: everything is recorded, and nothing is closed.</p>{{/hasRules}}
    <ul>{{#rules}}<li>{{words}}{{#fault}} <span class="fault">Not in force everywhere: {{.}}</span>{{/fault}}
    <span class="age">{{set}}</span></li>{{/rules}}</ul>
    {{#hasFamilys}}<h3>Of the whole family</h3>
    <ul>{{#familys}}<li>{{words}}{{#fault}} <span class="fault">Not in force everywhere: {{.}}</span>{{/fault}}
    <span class="age">{{set}}</span></li>{{/familys}}</ul>{{/hasFamilys}}
    </section>
    """

  /// Returns what the page shows.
  ///
  /// - Parameters:
  ///   - day: The child's day.
  ///   - today: The family's present day.
  ///   - monday: The first day of the week that is shown.
  ///   - report: The use of each of its days.
  ///   - rules: The child's rules.
  ///   - peers: The machines that this one is paired with.
  ///   - now: Unix milliseconds.
  /// - Returns: The data of the template.
  static func data(
    _ day: ChildToday, _ today: FamilyDay, _ monday: FamilyDay, _ report: UseReport, _ rules: ChildRules,
    _ peers: [PeerStatus], now: Int64
  ) -> PageData {
    let clock = PageClock(zone: day.zone, now: now)
    let week = "Week of \(PageClock.day(monday))"
    let days = (0..<7).map { offset -> (day: FamilyDay, use: [AppCategory: Int64]) in
      let day = monday.advanced(byDays: offset)
      let categories = report.periods.first { $0.start == day.description }?.categories ?? []
      return (day, Dictionary(categories.map { ($0.category, $0.usedMilliseconds) }) { $0 + $1 })
    }
    let rows = applications(report, day, clock)
    let exceptions = rules.rules.compactMap { exception($0, clock) }
    let own = rules.rules.filter { exception($0, clock) == nil }
    let isEarlier = monday < start(of: today)
    var data: PageData = [
      "id": day.childID.description, "name": day.name.text, "figure": PageWords.figure(day.screen),
      "used": PageWords.used(day), "notices": day.notices, "week": week,
      "before": monday.advanced(byDays: -7).description, "isEarlier": isEarlier,
      "chart": WeekChart.data(days, label: "\(week): use by day and category, with the numbers in the table below"),
      "applications": rows, "hasApplications": !rows.isEmpty,
      "exceptions": exceptions, "hasExceptions": !exceptions.isEmpty,
      "rules": own.map { rule($0, clock) }, "familys": rules.family.map { rule($0, clock) },
      "hasRules": !own.isEmpty || !rules.family.isEmpty, "hasFamilys": !rules.family.isEmpty,
    ]
    let machines = peers.filter { rules.child.machines.contains($0.device.name) }
    if let stale = PageWords.stale(rules.child, machines, clock) { data["stale"] = stale }
    if isEarlier { data["after"] = monday.advanced(byDays: 7).description }
    if let reason = PageWords.reason(day.screen, clock) { data["reason"] = reason }
    if let bar = UseBar.data(day) { data["bar"] = bar }
    return data
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
        "name": row.displayName, "category": PageWords.title(row.category), "used": PageWords.span(row.milliseconds),
        "now": now ?? "–",
      ]
    }
  }

  /// Returns time that was given or taken today; `nil` for a rule.
  private static func exception(_ rule: RuleListing, _ clock: PageClock) -> PageData? {
    let entry = RuleKey(rule.key)?.entry
    guard entry == DayRule.grant.entry || entry == DayRule.deduction.entry else { return nil }
    var data = self.rule(rule, clock)
    data["words"] = "\(entry == DayRule.grant.entry ? "More" : "Less"): \(rule.words)"
    return data
  }

  private static func rule(_ rule: RuleListing, _ clock: PageClock) -> PageData {
    var data: PageData = [
      "words": "\(rule.name): \(rule.words)", "set": "set by \(rule.setBy.text), \(clock.ago(rule.setAt))",
    ]
    if let fault = rule.notInForce { data["fault"] = fault }
    return data
  }
}

extension UseReport.Row {
  fileprivate var withoutUse: UseReport.Row {
    var row = self
    row.milliseconds = 0
    return row
  }
}
