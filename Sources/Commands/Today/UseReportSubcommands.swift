import ArgumentParser
import LatchkeyModel
import LatchkeyNode

struct UseReportOptions: ParsableArguments {
  @Option(child: "The child; may be left out if there is only one.") var child: String?

  @Option(help: .value("day", "The first day."), transform: TypedDay.read) var from: TypedDay?

  @Option(help: .value("day", "The last day; today if it is left out."), transform: TypedDay.read) var to: TypedDay?

  @Option(help: .value("table|json|csv", "How to write it.")) var format: UsageFormat = .table
}

struct ReportDaySubcommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "day", abstract: "Show a child's use by day, newest first.",
    discussion: """
      Without --from, the last seven days. An instant at which several applications were used counts once in a total.

      Example: latchkey report day --child Emma --from monday
      """)

  @OptionGroup var node: NodeOptions
  @OptionGroup var options: UseReportOptions

  func run() async throws { try await UseReportText.report("day", options, at: node.open()) }
}

struct ReportWeekSubcommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "week", abstract: "Show a child's use by week from Monday, newest first.",
    discussion: """
      Without --from, the last five weeks. An instant at which several applications were used counts once in a total.

      Example: latchkey report week --child Emma
      """)

  @OptionGroup var node: NodeOptions
  @OptionGroup var options: UseReportOptions

  func run() async throws { try await UseReportText.report("week", options, at: node.open()) }
}

struct ReportMonthSubcommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "month", abstract: "Show a child's use by month, newest first.",
    discussion: """
      Without --from, the last year. An instant at which several applications were used counts once in a total.

      Example: latchkey report month --child Emma --format csv
      """)

  @OptionGroup var node: NodeOptions
  @OptionGroup var options: UseReportOptions

  func run() async throws { try await UseReportText.report("month", options, at: node.open()) }
}

private enum UseReportText {
  static let csvHeader = [
    "childID", "child", "period", "start", "appID", "displayName", "category", "milliseconds", "earnedMilliPoints",
    "sessions",
  ]

  static func report(_ period: String, _ options: UseReportOptions, at node: any NodeInterface) async throws {
    let name = try await ChildChoice.name(options.child, at: node)
    var days: (first: String?, last: String?)
    if options.from != nil || options.to != nil {
      let zone = try await FamilyClock(at: node).zone
      days = (options.from?.day(in: zone)?.description, options.to?.day(in: zone)?.description)
    }
    let report = try await node.ask(Endpoints.getUseReport, (name, period, days.first, days.last))
    let console = TerminalEnvironment.current.console
    switch options.format {
    case .json: try console.write(JSONText.pretty(report))
    case .csv: try console.write(CSVText.render(csvHeader, rows: csv(report)))
    case .table: try console.write(table(report))
    }
  }

  private static func csv(_ report: UseReport) -> [[String]] {
    report.periods.flatMap { period in
      (totals(of: period).map { ("", $0) } + period.rows.map { ($0.appID.text, Line($0)) }).map { app, line in
        [
          report.childID.description, report.name.text, report.period, period.start, app, line.name, line.category,
          String(line.milliseconds), String(line.earnedMilliPoints), String(line.sessions),
        ]
      }
    }
  }

  private static func table(_ report: UseReport) -> String {
    let heading = "\(report.period.prefix(1).uppercased())\(report.period.dropFirst())"
    let rows = report.periods.flatMap { period in
      (totals(of: period) + period.rows.map(Line.init)).enumerated().map { number, line in
        [
          number == 0 ? period.start : "", line.name, line.category == "all" ? "" : line.category,
          ShownText.duration(line.milliseconds), String(line.sessions),
          line.earns ? PointsText.text(line.earnedMilliPoints) : "–",
        ]
      }
    }
    return TableText.render(
      [heading, "Application", "Category", "Used", "Sessions", "Earned"], numbers: [3, 4, 5], spare: [2, 4], wrap: [1],
      rows: rows,
      empty: "No use of \(ShownText.safe(report.name.text)) is recorded from \(report.from) to \(report.to).")
  }

  /// Returns the totals of a period: of everything, then of each category if there are several.
  private static func totals(of period: UseReport.Period) -> [Line] {
    let all = Line("All", "all", period.milliseconds, period.rows)
    guard period.categories.count > 1 else { return [all] }
    return [all]
      + period.categories.map { total in
        let name = total.category.rawValue
        return Line("All \(name)", name, total.usedMilliseconds, period.rows.filter { $0.category == total.category })
      }
  }

  /// A line of a report: an application, or a total that counts each instant once.
  private struct Line {
    var name: String
    /// `all` in the total of everything.
    var category: String
    var milliseconds: Int64
    var earnedMilliPoints: Int64
    var sessions: Int64
    var earns: Bool { category == "all" || category == AppCategory.learning.rawValue }

    init(_ name: String, _ category: String, _ milliseconds: Int64, _ rows: [UseReport.Row]) {
      (self.name, self.category, self.milliseconds) = (name, category, milliseconds)
      earnedMilliPoints = rows.map(\.earnedMilliPoints).limitedSum
      sessions = rows.map(\.sessions).limitedSum
    }

    init(_ row: UseReport.Row) { self.init(row.displayName, row.category.rawValue, row.milliseconds, [row]) }
  }
}
