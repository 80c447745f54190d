import LatchkeyModel
import LatchkeyNode

/// Who did what, and when, for parents.
enum ActivityPage {
  static let shown = 50
  /// The most entries of the file.
  static let kept = 10_000

  static let page = Page("/activity", whoMay: [.parent, .phone], in: .named("Activity"), template: template) { call in
    let filter = Filter(call.query)
    let found = try await call.node.ask(Endpoints.getAudit, (filter.child, filter.device, filter.before, shown))
    let children = try await call.node.ask(Endpoints.getChildren)
    let status = try await call.node.ask(Endpoints.getStatus)
    return ("Activity", data(found, filter, children, status, now: call.now))
  }

  static let download = Download("/activity.csv", whoMay: [.parent]) { call in
    let filter = Filter(call.query)
    let found = try await call.node.ask(Endpoints.getAudit, (filter.child, filter.device, nil, kept))
    return (name: "latchkey-activity.csv", text: csv(found))
  }

  struct Filter: Hashable, Sendable {
    /// The ID of a child; `nil` for all.
    var child: String?
    /// The ID of a device; `nil` for all.
    var device: String?
    var before: Int64?

    /// Reads a query; what is no ID counts as all.
    init(_ query: FormFields) {
      child = query["child"].flatMap { ChildID($0)?.description }
      device = query["machine"].flatMap { DeviceID($0)?.description }
      before = query["before"].flatMap { Int64($0) }
    }

    /// The query of an address; IDs need no escape.
    func query(before: Int64? = nil) -> String {
      let parts = [
        child.map { "child=\($0)" }, device.map { "machine=\($0)" }, before.map { "before=\($0)" },
      ].compactMap(\.self)
      return parts.isEmpty ? "" : "?" + parts.joined(separator: "&")
    }
  }

  static let template = """
    <h1>[[Activity]]</h1>
    <p>[[What was changed on this machine, or by other parents and reached it, the newest first.]]</p>
    <section>
    <h2>[[Which]]</h2>
    <form method="get" action="/activity" class="row">
    <label>[[Child]] <select name="child"><option value="">[[All]]</option>
    {{#children}}<option value="{{key}}"{{#isChosen}} selected{{/isChosen}}>{{name}}</option>{{/children}}
    </select></label>
    <label>[[Machine]] <select name="machine"><option value="">[[All]]</option>
    {{#machines}}<option value="{{key}}"{{#isChosen}} selected{{/isChosen}}>{{name}}</option>{{/machines}}
    </select></label>
    <button class="quiet">[[Show]]</button>
    </form></section>
    <section id="entries" data-live>
    <h2>[[Changes]]</h2>
    {{^hasEntries}}<p>[[Nothing is recorded.]]</p>{{/hasEntries}}
    {{#hasEntries}}
    <div class="scroll" tabindex="0" role="region" aria-label="[[Changes]]">
    <table>
    <thead><tr><th scope="col">[[When]]</th><th scope="col">[[By]]</th><th scope="col">[[For]]</th>\
    <th scope="col">[[What]]</th><th scope="col">[[Before]]</th></tr></thead>
    <tbody>
    {{#entries}}
    <tr><th scope="row">{{when}}</th><td>{{by}}</td><td>{{whom}}</td><td class="words">{{words}}</td><td>{{earlier}}</td></tr>
    {{/entries}}</tbody></table></div>{{/hasEntries}}
    <p class="row">{{#isLater}}<a href="/activity{{first}}">[[The newest]]</a>{{/isLater}}
    {{#next}}<a href="/activity{{.}}">[[Earlier changes]]</a>{{/next}}
    {{^isPhone}}<a href="/activity.csv{{first}}">[[Keep as a table (CSV)]]</a>{{/isPhone}}</p>
    </section>
    """

  static func data(
    _ found: AuditPage, _ filter: Filter, _ children: [ChildListing], _ status: NodeStatus, now: Int64
  ) -> PageData {
    let clock = PageClock(now: now)
    let machines = [(status.deviceID, status.name)] + status.peers.map { ($0.device.deviceID, $0.device.name) }
    var data: PageData = [
      "children": children.map { option($0.childID.description, $0.name.text, filter.child) },
      "machines": machines.map { option($0.0.description, $0.1.text, filter.device) },
      "hasEntries": !found.entries.isEmpty, "isLater": filter.before != nil, "first": filter.query(),
      "entries": found.entries.map { entry in
        [
          "when": clock.moment(entry.at), "by": AuditText.author(entry), "whom": AuditText.whom(entry),
          "words": AuditText.words(entry), "earlier": AuditText.before(entry),
        ] as PageData
      },
    ]
    if let next = found.next { data["next"] = filter.query(before: next) }
    return data
  }

  private static func option(_ key: String, _ name: String, _ chosen: String?) -> PageData {
    ["key": key, "name": name, "isChosen": key == chosen]
  }

  /// Returns entries as CSV, for programs: with the words of the interface, in English.
  static func csv(_ found: AuditPage) -> String {
    CSVText.render(
      ["number", "atMilliseconds", "by", "child", "machine", "action", "target", "words", "old", "new", "through"],
      rows: found.entries.map { entry in
        [
          String(entry.number), String(entry.at), entry.by.text, entry.childName?.text ?? "",
          entry.deviceName?.text ?? "", entry.action, entry.target, entry.words ?? "", entry.old ?? "", entry.new ?? "",
          entry.through ?? "",
        ]
      })
  }
}

/// A child's use as a file: a line for each day and application.
enum UseDownload {
  static let download = Download("/children/{child}/use.csv", whoMay: [.parent]) { call in
    let child = try call.child()
    let days = ["from", "to"].map { call.query[$0].flatMap { FamilyDay($0)?.description } }
    let report = try await call.node.ask(Endpoints.getUseReport, (child, "day", days[0], days[1]))
    return (name: "latchkey-use-\(report.from)-\(report.to).csv", text: csv(report))
  }

  static func csv(_ report: UseReport) -> String {
    CSVText.render(
      ["child", "day", "appID", "displayName", "category", "milliseconds", "earnedMilliPoints", "sessions"],
      rows: report.periods.reversed().flatMap { period in
        period.rows.map { row in
          [
            report.name.text, period.start, row.appID.text, row.displayName, row.category.rawValue,
            String(row.milliseconds), String(row.earnedMilliPoints), String(row.sessions),
          ]
        }
      })
  }
}
