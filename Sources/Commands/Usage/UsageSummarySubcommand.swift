import ArgumentParser
import LatchkeyModel

/// The `latchkey usage summary` subcommand.
struct UsageSummarySubcommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "summary", abstract: "Show the use of each day, newest first.",
    discussion: """
      A day is the family's: it begins at the hour and in the zone that `latchkey settings` tells. Points that were earned \
      are above zero, points that were paid below. The table, JSON and CSV have the same rows and numbers.

      Example: latchkey usage summary --on Emma --from monday
      """)

  @OptionGroup var node: NodeOptions
  @OptionGroup var options: UsageOptions

  @Option(
    help: ArgumentHelp("From this day on, such as yesterday or 2026-11-01.", valueName: "day"),
    transform: TypedDay.read)
  var from: TypedDay?

  @Option(help: ArgumentHelp("Up to and with this day.", valueName: "day"), transform: TypedDay.read)
  var to: TypedDay?

  mutating func validate() throws {
    let zone = TerminalEnvironment.current.timeZone
    if let from = from?.day(in: zone), let to = to?.day(in: zone), from.description > to.description {
      throw ValidationError("The range ends before it begins: let --from be no later than --to.")
    }
  }

  func run() async throws {
    let console = TerminalEnvironment.current.console
    let interface = try await node.open()
    let zone = try await FamilyClock(at: interface).zone
    let days = try await interface.summaries(
      device: options.device, from: from?.day(in: zone)?.description, to: to?.day(in: zone)?.description)
    let devices = try await DeviceNames(of: interface)
    // A record made before the application had a name has the ID in its place.
    let apps = try await interface.apps(ofChild: nil).flatMap(\.apps)
    let names = Dictionary(apps.map { ($0.appID, $0.displayName) }) { first, _ in first }
    let rows = days.flatMap { SummaryRow.rows(of: $0, machine: devices[$0.device], names: names, options) }
    switch options.format {
    case .json: try console.write(JSONText.pretty(rows))
    case .csv: try console.write(CSVText.render(SummaryRow.csvHeader, rows: rows.map(\.csvRow)))
    case .table:
      // The column is there when there is something to say in it.
      let isDoubtful = rows.contains { $0.doubt != nil }
      let width = isDoubtful ? 7 : 6
      try console.write(
        TableText.render(
          Array(["Day", "Machine", "Application", "Category", "Active", "Points", "Doubt"].prefix(width)),
          numbers: [4, 5], wrap: isDoubtful ? [2, 6] : [2], rows: rows.map { Array($0.tableRow.prefix(width)) },
          empty: "No use is recorded in this range."))
      DoubtText.explain(Set(rows.filter { $0.doubt != nil }.map(\.deviceName)), on: console)
    }
  }
}

/// One line of a summary: an application on a day, or the total of a category.
struct SummaryRow: Hashable, Sendable, Encodable {
  var day: String
  /// The length of the day: 23 or 25 hours where clocks change.
  var dayMilliseconds: Int64
  var zone: String
  var device: String
  var deviceName: String
  /// Absent in a total.
  var appID: String?
  var displayName: String
  /// `all` in a total of everything.
  var category: String
  var activeMilliseconds: Int64
  /// Earned if above zero, paid if below.
  var milliPoints: Int64
  /// The reason why the use cannot be true; absent if it can.
  var doubt: String?

  /// The name of the row with the total.
  private static let total = "all applications"

  /// Returns a day's applications, the most used one first, then the total of each category that has use.
  ///
  /// Totals are left out if one application is asked for. A total of everything stands first if the day is doubtful.
  static func rows(
    of day: DailySummary, machine: String, names: [AppID: String], _ options: UsageOptions
  ) -> [SummaryRow] {
    let empty = SummaryRow(
      day: day.day, dayMilliseconds: day.dayMilliseconds, zone: day.zone, device: day.device.description,
      deviceName: machine, displayName: total, category: "all", activeMilliseconds: 0, milliPoints: 0)
    var rows = day.apps.compactMap { app -> SummaryRow? in
      let name = app.displayName == app.appID.text ? names[app.appID] ?? app.displayName : app.displayName
      guard options.isWanted(app.appID, name) || options.isWanted(app.appID, app.displayName) else { return nil }
      var row = empty
      (row.appID, row.displayName, row.category) = (app.appID.text, name, app.category.rawValue)
      (row.activeMilliseconds, row.milliPoints) = (app.activeMilliseconds, UsagePoints.signed(app))
      row.doubt = DoubtText.words(app.activeMilliseconds, of: day)
      return row
    }
    guard options.app == nil else { return rows }
    for (category, active) in [
      (AppCategory.learning, day.learningMilliseconds), (.reward, day.rewardMilliseconds),
    ] where active > 0 {
      var row = empty
      row.displayName = "all \(category.rawValue) applications"
      (row.category, row.activeMilliseconds) = (category.rawValue, active)
      row.milliPoints = day.apps.filter { $0.category == category }.map(UsagePoints.signed).limitedSum
      row.doubt = DoubtText.words(active, of: day)
      rows.append(row)
    }
    if day.isImpossible || day.doubtfulSessions > 0 {
      var row = empty
      row.activeMilliseconds = day.apps.map(\.activeMilliseconds).limitedSum
      row.milliPoints = day.apps.map(UsagePoints.signed).limitedSum
      row.doubt = DoubtText.all(row.activeMilliseconds, of: day)
      rows.insert(row, at: 0)
    }
    return rows
  }

  var tableRow: [String] {
    [
      day, deviceName, displayName, category, ShownText.duration(activeMilliseconds),
      category == AppCategory.neutral.rawValue ? "–" : PointsText.text(milliPoints), doubt ?? "",
    ]
  }

  static let csvHeader = [
    "day", "dayMilliseconds", "zone", "device", "deviceName", "appID", "displayName", "category", "activeMilliseconds",
    "milliPoints", "doubt",
  ]

  /// The values in the order of `csvHeader`.
  var csvRow: [String] {
    [
      day, String(dayMilliseconds), zone, device, deviceName, appID ?? "", displayName, category,
      String(activeMilliseconds), String(milliPoints), doubt ?? "",
    ]
  }
}
