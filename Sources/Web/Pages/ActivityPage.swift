import LatchkeyModel
import LatchkeyNode

/// The page for parents about who did what, and when.
enum ActivityPage {
  static let shown = 50
  /// The largest number of entries in the file.
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

    /// Reads a query.
    ///
    /// A value that is not an ID counts as all.
    init(_ query: FormFields) {
      child = query["child"].flatMap { ChildID($0)?.description }
      device = query["machine"].flatMap { DeviceID($0)?.description }
      before = query["before"].flatMap { Int64($0) }
    }

    /// Returns the query of an address.
    ///
    /// IDs need no escape.
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
    return PageData(known: [
      "children": children.map { option($0.childID.description, $0.name.text, filter.child) },
      "machines": machines.map { option($0.0.description, $0.1.text, filter.device) },
      "hasEntries": !found.entries.isEmpty, "isLater": filter.before != nil, "first": filter.query(),
      "entries": found.entries.map { entry in
        [
          "when": clock.moment(entry.at), "by": AuditText.author(entry), "whom": AuditText.whom(entry),
          "words": AuditText.words(entry), "earlier": AuditText.before(entry),
        ] as PageData
      }, "next": found.next.map { filter.query(before: $0) },
    ])
  }

  private static func option(_ key: String, _ name: String, _ chosen: String?) -> PageData {
    ["key": key, "name": name, "isChosen": key == chosen]
  }

  /// Returns entries as CSV for programs, with the words of the local API, in English.
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

/// The sentences about entries of the audit.
private enum AuditText {
  static func words(_ entry: AuditEntry) -> Phrase {
    let target = Phrase.Argument.text(entry.target)
    let (old, new) = (Phrase.Argument.text(entry.old ?? "–"), Phrase.Argument.text(entry.new ?? "–"))
    switch entry.action {
    case "register.set": return entry.phrase ?? Phrase(verbatim: entry.words ?? entry.target)
    case "device.paired": return Phrase("{machine} was paired.", ["machine": new])
    case "device.assigned":
      return entry.new.map { $0.isEmpty } ?? true
        ? Phrase("{machine} is no child's any more.", ["machine": target])
        : Phrase("{machine} was given to {child}.", ["machine": target, "child": new])
    case "device.renamed": return Phrase("{old} is called {new} now.", ["old": old, "new": new])
    case "device.removed": return Phrase("{machine} was removed.", ["machine": entry.old == nil ? target : old])
    case "device.forgotten":
      return Phrase("{machine} was removed without being told.", ["machine": entry.old == nil ? target : old])
    case "device.quarantined":
      return Phrase("{machine} was cut off, since two machines use its keys.", ["machine": target])
    case "device.released": return Phrase("{machine} is no longer cut off.", ["machine": target])
    case "household.keys-changed": return Phrase("The family's keys were changed.")
    case "identity.renewed": return Phrase("This machine got a new identity, and its pairings ended.")
    case "parent.told": return Phrase("Another parent is {parent}.", ["parent": new])
    case "receiver.set":
      return Phrase(
        "The receiver {receiver} was set up: {rights}.",
        ["receiver": target, "rights": .phrase(rights(entry.new ?? "–"))])
    case "receiver.acts": return Phrase("The receiver {receiver} did this: {deed}.", ["receiver": target, "deed": new])
    case "browser.let-in":
      return entry.new == BrowserRight.look.rawValue
        ? Phrase("The phone {phone} was let in, to look.", ["phone": target])
        : Phrase("The phone {phone} was let in, with a parent's rights.", ["phone": target])
    case "browser.removed": return Phrase("The phone {phone} was signed out.", ["phone": target])
    case "receiver.removed": return Phrase("The receiver {receiver} was removed.", ["receiver": target])
    case "zone.forgotten": return Phrase("What was kept of a child or a machine was forgotten.")
    case "usage.dropped":
      return Phrase("No room was left for use, which was dropped: {what}.", ["what": .phrase(use(entry.new ?? "–"))])
    case "usage.not-queued": return Phrase("No room was left for use that {machine} was to get.", ["machine": target])
    case let action where action.hasPrefix("clock."):
      return Phrase("The clock of this machine was set: {what}.", ["what": .phrase(shift(entry.new ?? "–"))])
    default: return Phrase("{action}: {target}", ["action": .text(entry.action), "target": target])
    }
  }

  /// Returns the amount by which a clock was set.
  ///
  /// The store has English words, such as `5 min ahead`.
  private static func shift(_ text: String) -> Phrase {
    let words = text.split(separator: " ").map(String.init)
    let numbers = words.compactMap { Int($0) }
    let time: Phrase
    switch (words.dropLast().filter { Int($0) == nil }, numbers.count) {
    case (["s"], 1): time = SpanText.phrase(of: Int64(clamping: numbers[0]) * 1_000)
    case (["min"], 1): time = SpanText.phrase(minutes: numbers[0])
    case (["h"], 1) where numbers[0] < 24: time = SpanText.phrase(minutes: numbers[0] * 60)
    case (["h", "min"], 2) where numbers[0] < 24: time = SpanText.phrase(minutes: numbers[0] * 60 + min(59, numbers[1]))
    case (["day"], 1), (["days"], 1): time = SpanText.phrase(of: Int64(min(numbers[0], 1_000_000)) * 86_400_000)
    default: return Phrase(verbatim: text)
    }
    switch words.last {
    case "ahead": return Phrase("{time} ahead", ["time": .phrase(time)])
    case "back": return Phrase("{time} back", ["time": .phrase(time)])
    default: return Phrase(verbatim: text)
    }
  }

  /// Returns the amount of use that was dropped.
  ///
  /// The store has English words.
  private static func use(_ text: String) -> Phrase {
    guard let match = text.wholeMatch(of: /([0-9]{1,15}) records of ([0-9]{1,15}) sessions/) else {
      return Phrase(verbatim: text)
    }
    return Phrase(
      "{records} records of {sessions} sessions",
      ["records": .text(String(match.1)), "sessions": .text(String(match.2))])
  }

  /// Returns the rights of a receiver.
  ///
  /// The store has English words, such as `reads, 30 min, 0 milli-points`.
  private static func rights(_ text: String) -> Phrase {
    guard let match = text.wholeMatch(of: /([a-z ]+), ([0-9]{1,9}) min, ([0-9]{1,15}) milli-points/),
      let minutes = Int(match.2), let points = Int64(match.3)
    else { return Phrase(verbatim: text) }
    let names: [Phrase] = match.1.split(separator: " ").map { word in
      switch word {
      case "reads": Phrase("it reads")
      case ReceiverRight.answer.rawValue: Phrase("it answers requests")
      case ReceiverRight.grant.rawValue: Phrase("it gives time")
      case ReceiverRight.lock.rawValue: Phrase("it locks and unlocks")
      case ReceiverRight.points.rawValue: Phrase("it gives points")
      default: Phrase(verbatim: String(word))
      }
    }
    return Phrase(
      "{rights}; at most {time} and {points} a day",
      [
        "rights": .list(names.map { .phrase($0) }), "time": .phrase(SpanText.phrase(minutes: minutes)),
        "points": .phrase(PointsText.phrase(points)),
      ])
  }

  /// Returns the author of an entry: a machine, and the phone that was used.
  static func author(_ entry: AuditEntry) -> Phrase {
    guard let phone = entry.through else { return Phrase(verbatim: entry.by.text) }
    return Phrase("{machine}, through {phone}", ["machine": .text(entry.by.text), "phone": .text(phone)])
  }

  static func whom(_ entry: AuditEntry) -> Phrase {
    if let name = entry.childName ?? entry.deviceName { return Phrase(verbatim: name.text) }
    return entry.target == "family" ? Phrase("the whole family") : PageWords.none
  }

  /// Returns the earlier value of a rule.
  ///
  /// Other entries say it in their sentence.
  static func before(_ entry: AuditEntry) -> Phrase {
    guard entry.action == "register.set" else { return PageWords.none }
    return entry.oldPhrase ?? entry.old.map { Phrase(verbatim: $0) } ?? PageWords.none
  }
}
