import ArgumentParser
import Foundation
import LatchkeyModel
import LatchkeyNode

struct UsageSubcommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "usage", abstract: "Record and look at the use of applications.",
    discussion: "Example: latchkey usage list --from yesterday",
    subcommands: [UsageTrackSubcommand.self, UsageListSubcommand.self], defaultSubcommand: UsageListSubcommand.self)
}

struct UsageListSubcommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "List sessions, newest first.",
    discussion: """
      --from and --to take days of this machine's zone, both included, such as today, yesterday, monday or 2026-11-01, or \
      moments such as 2026-11-01T14:30 or 2026-11-01T14:30:00+01:00. A session that crosses an end of the range is listed \
      with the part inside.

      Example: latchkey usage list --on Emma --from monday
      Example: latchkey usage list --from 2026-11-01 --to 2026-11-30 --format csv
      """)

  @OptionGroup var node: NodeOptions

  @Option(on: "Only this machine's, or this child's.") var device: String?

  @Option(help: .value("application", "Only this application's, by its ID or name."), completion: CompletionNames.apps)
  var app: String?

  @Option(help: .value("table|json|csv", "How to write it.")) var format: UsageFormat = .table

  @Option(help: .value("date", "From this day or moment on."), transform: TypedBound.read) var from: TypedBound?

  @Option(help: .value("date", "Up to and with this day or moment."), transform: TypedBound.read) var to: TypedBound?

  mutating func validate() throws {
    let zone = TerminalEnvironment.current.timeZone
    if let from = from?.lowerBound(in: zone), let to = to?.upperBound(in: zone), from >= to {
      throw ValidationError("The range ends before it begins: let --from be no later than --to.")
    }
  }

  func run() async throws {
    let interface = try await node.open()
    let zone = try await FamilyClock(at: interface).zone
    let sessions = try await sessions(of: interface, zone: zone)
    switch format {
    case .json: try console.write(JSONText.pretty(sessions.map(FlatSession.init(session:))))
    case .csv:
      try console.write(CSVText.render(FlatSession.csvHeader, rows: sessions.map { FlatSession(session: $0).csvRow }))
    case .table:
      // Columns without values are left out.
      let isDoubtful = sessions.contains { $0.doubt != nil }
      let hasChildren = Set(sessions.map(\.childName)).count > 1
      let headings = ["Machine", "Application", "From", "To", "Active", "Category", "Points"]
      try console.write(
        TableText.render(
          headings + (hasChildren ? ["Whose"] : []) + (isDoubtful ? ["Doubt"] : []),
          numbers: [4, 6], spare: [5], wrap: isDoubtful ? [1, 6, headings.count + (hasChildren ? 1 : 0)] : [1, 6],
          rows: sessions.map { session in
            Self.row(session, zone: zone) + (hasChildren ? [session.childName?.text ?? "–"] : [])
              + (isDoubtful ? [session.doubt.map(DoubtText.words) ?? ""] : [])
          }, empty: "No use is recorded in this range."))
      DoubtText.explain(Set(sessions.filter { $0.doubt != nil }.map(\.deviceName.text)), on: console)
      if sessions.contains(where: { $0.record.evidence == .interrupted }) {
        console.note(
          "Cut short: the machine or Latchkey stopped while the application ran, and what it was used after that is not known."
        )
      }
      for note in UsagePoints.notes(sessions) { console.note(note) }
      for note in Self.refusals(sessions, zone: zone) { console.note(note) }
    }
  }

  /// Returns the sessions; those of an application by its ID or, if it has none, by its name.
  private func sessions(of node: any NodeInterface, zone: TimeZone) async throws -> [UsagePage.Session] {
    let id = app.flatMap { AppID($0) }
    var query = UsageQuery(
      device: device, appID: id?.text, from: from?.lowerBound(in: zone), to: to?.upperBound(in: zone), limit: 5_000)
    let sessions = try await Self.allPages(of: node, query)
    guard let name = app?.lowercased(), id == nil || sessions.isEmpty else { return sessions }
    query.appID = nil
    return try await Self.allPages(of: node, query).filter {
      [$0.record.appID.text.lowercased(), $0.record.displayName.lowercased()].contains(name)
    }
  }

  private static func allPages(of node: any NodeInterface, _ query: UsageQuery) async throws -> [UsagePage.Session] {
    var query = query
    var sessions: [UsagePage.Session] = []
    while true {
      let page = try await node.ask(Endpoints.getUsage, query.parts)
      sessions += page.sessions
      guard let next = page.next, next != query.cursor else { return sessions }
      query.cursor = next
    }
  }

  /// Returns a line for each session whose record a parent's machine did not take.
  static func refusals(_ sessions: [UsagePage.Session], zone: TimeZone) -> [String] {
    sessions.compactMap { session in
      guard let machines = session.refusedBy, !machines.isEmpty else { return nil }
      let names = machines.map(ShownText.quoted).joined(separator: " and ")
      return "Refused by \(names): the use of \(ShownText.safe(session.record.displayName)) from "
        + "\(TimeText.short(session.record.sessionStart, zone: zone)), which is kept here and missing there."
    }
  }

  /// Returns the row of a session, with the part inside the range.
  static func row(_ session: UsagePage.Session, zone: TimeZone) -> [String] {
    let record = session.record
    let start = TimeText.short(session.clippedStart, zone: zone)
    let end = TimeText.short(session.clippedEnd, zone: zone)
    var shown = end.prefix(10) == start.prefix(10) ? String(end.dropFirst(11)) : end
    if record.evidence == .interrupted { shown += " (cut short)" }
    return [
      session.deviceName.text, record.displayName, start, session.isOpen ? "running" : shown,
      ShownText.duration(session.clippedActiveMilliseconds), record.category.rawValue, UsagePoints.text(session),
    ]
  }
}

/// The points of use, with the same sign everywhere: earned ones above zero, paid ones below.
enum UsagePoints {
  /// Returns what the ledger holds for a session.
  static func text(_ session: UsagePage.Session) -> String {
    let isReward = session.record.category == .reward
    switch session.charge {
    case .written:
      let points = session.milliPoints ?? 0
      guard isReward else { return PointsText.text(points) }
      // Without points, a reward costs no more than there was. A milli-point may be carried over.
      let rest = cost(session.record) + points
      if points == 0 { return rest > 1 ? "not charged" : "0" }
      return PointsText.text(points) + (rest > 1 ? ", in part" : "")
    case .held: return "held"
    case .redeemed: return "redeemed"
    case .nothing: return isReward && cost(session.record) > 0 ? "not charged" : "0"
    case nil: return "–"
    }
  }

  /// Returns the full cost of a session of a reward, in milli-points.
  private static func cost(_ record: UsageRecord) -> Int64 {
    var carry = PointsRemainder()
    return PointsArithmetic.cost(
      activeMilliseconds: record.activeMilliseconds,
      rate: PointsRate(milliPointsPerMinute: record.milliPointsPerMinute), carry: &carry)
  }

  /// Returns sentences that explain the points of some sessions.
  static func notes(_ sessions: [UsagePage.Session]) -> [String] {
    var notes: [String] = []
    if sessions.contains(where: { text($0) == "not charged" }) {
      notes.append(
        "Not charged: there were no points for it on that machine. The time counts all the same; `latchkey explain` says "
          + "whether it was allowed.")
    }
    if sessions.contains(where: { text($0).hasSuffix("in part") }) {
      notes.append("In part: the points ran out while it ran. The time counts all the same.")
    }
    if sessions.contains(where: { $0.charge == .held }) {
      notes.append("Held: a parent decides whether that learning counts. `latchkey points` says why it was held.")
    }
    return notes
  }
}

private enum DoubtText {
  static func words(_ doubt: UsageDoubt) -> String {
    switch doubt {
    case .future: "impossible: in the future"
    case .past: "impossible: before 2026"
    case .overlong: "impossible: more use than time"
    case .overpaid: "impossible: more points than use"
    }
  }

  /// Prints the possible causes and the next step for the machines that reported impossible use.
  static func explain(_ machines: Set<String>, on console: any Console) {
    for machine in machines.sorted() {
      console.note(
        "latchkey: What \(ShownText.quoted(DeviceName(sanitising: machine))) reported cannot all be true: its clock was wrong, "
          + "several programs were left open at once, or its records were changed. Check the clock of that machine, and "
          + "compare its records with `latchkey usage list` there.")
    }
  }
}

/// A session as programs read it: each value has a name, and times are text and Unix milliseconds.
private struct FlatSession: Encodable, Sendable {
  let session: UsagePage.Session

  private struct Key: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }

    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
  }

  /// A value of `nil` is absent in JSON and empty in CSV.
  private static let columns: [(name: String, value: @Sendable (UsagePage.Session) -> (any Encodable)?)] = [
    ("recordID", { $0.record.recordID.description }), ("device", { $0.record.device.description }),
    ("deviceName", { $0.deviceName.text }), ("appID", { $0.record.appID.text }),
    ("displayName", { $0.record.displayName }), ("category", { $0.record.category.rawValue }),
    // ISO 8601 with the offset of the session's own zone.
    ("start", { TimeText.exact($0.record.sessionStart, zone: TimeText.zone($0.record.zone)) }),
    ("startMilliseconds", { $0.record.sessionStart }),
    ("end", { TimeText.exact($0.record.sessionEnd, zone: TimeText.zone($0.record.zone)) }),
    ("endMilliseconds", { $0.record.sessionEnd }), ("zone", { $0.record.zone }),
    ("activeMilliseconds", { $0.record.activeMilliseconds }), ("clippedStartMilliseconds", { $0.clippedStart }),
    ("clippedEndMilliseconds", { $0.clippedEnd }), ("clippedActiveMilliseconds", { $0.clippedActiveMilliseconds }),
    ("milliPointsPerMinute", { $0.record.milliPointsPerMinute }), ("milliPoints", { $0.milliPoints }),
    ("evidence", { $0.record.evidence.rawValue }), ("isOpen", { $0.isOpen }),
    ("refusedBy", { $0.refusedBy?.map(\.text) }), ("doubt", { $0.doubt?.rawValue }),
    ("childName", { $0.childName?.text }), ("childID", { $0.record.child?.description }),
    ("account", { $0.record.account }), ("charge", { $0.charge?.rawValue }),
  ]

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Key.self)
    for column in Self.columns {
      if let value = column.value(session) { try container.encode(value, forKey: Key(stringValue: column.name)) }
    }
  }

  static let csvHeader = columns.map(\.name)

  var csvRow: [String] {
    Self.columns.map { column in
      column.value(session).map { ($0 as? [String])?.joined(separator: "; ") ?? "\($0)" } ?? ""
    }
  }
}
