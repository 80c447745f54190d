import ArgumentParser
import LatchkeyModel

/// The command `latchkey usage list`.
struct UsageListCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "List sessions, newest first.",
    discussion: """
      --from and --to take days of this machine's zone, both included, or moments such as 2026-11-01T14:30 or \
      2026-11-01T14:30:00+01:00. A session that crosses an end of the range is listed with the part inside.

      Example: latchkey usage list --device "Emma's PC" --from 2026-11-01 --to 2026-11-30 --format csv
      """)

  @OptionGroup var node: NodeOptions

  @Option(help: "Only this machine's.")
  var device: String?

  @Option(help: ArgumentHelp("Only this application's.", valueName: "app-id"), transform: AppArgument.read)
  var app: AppID?

  @Option(help: ArgumentHelp("From this day or moment on.", valueName: "date"))
  var from: TimeBound?

  @Option(help: ArgumentHelp("Up to and with this day or moment.", valueName: "date"))
  var to: TimeBound?

  @Option(help: ArgumentHelp("How to write it.", valueName: "table|json|csv"))
  var format: UsageFormat = .table

  mutating func validate() throws {
    let zone = CommandEnvironment.current.timeZone
    if let from, let to, from.lowerBound(in: zone) >= to.upperBound(in: zone) {
      throw ValidationError("The range ends before it begins: let --from be no later than --to.")
    }
  }

  func run() async throws {
    let environment = CommandEnvironment.current
    let zone = environment.timeZone
    let query = UsageQuery(
      device: device, appID: app?.text, from: from?.lowerBound(in: zone), to: to?.upperBound(in: zone), limit: 5_000)
    let sessions = try await Self.allPages(of: node.open(), query)
    switch format {
    case .json: try environment.console.write(JSONText.pretty(sessions.map(FlatSession.init)))
    case .csv:
      try environment.console.write(
        CSVText.render(FlatSession.csvHeader, rows: sessions.map { FlatSession($0).csvRow }))
    case .table:
      // The column is there when there is something to say in it.
      let isDoubtful = sessions.contains { $0.doubt != nil }
      try environment.console.write(
        TableText.render(
          ["Machine", "Application", "Name", "From", "To", "Active", "Category", "Points"]
            + (isDoubtful ? ["Doubt"] : []), numbers: [5, 7], spare: [2, 6],
          rows: sessions.map { session in
            Self.row(session, zone: zone) + (isDoubtful ? [session.doubt.map(DoubtText.words) ?? ""] : [])
          }, empty: "No use is recorded in this range."))
      DoubtText.explain(Set(sessions.filter { $0.doubt != nil }.map(\.deviceName.text)), on: environment.console)
      for note in Self.refusals(sessions, zone: zone) { environment.console.note(note) }
    }
  }

  private static func allPages(of node: any NodeInterface, _ query: UsageQuery) async throws -> [UsagePage.Session] {
    var query = query
    var sessions: [UsagePage.Session] = []
    while true {
      let page = try await node.usage(query)
      sessions += page.sessions
      guard let next = page.next, next != query.cursor else { return sessions }
      query.cursor = next
    }
  }
}
