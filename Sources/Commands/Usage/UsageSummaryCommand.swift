import ArgumentParser
import LatchkeyModel

/// The command `latchkey usage summary`.
struct UsageSummaryCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "summary", abstract: "Show the use of each day, newest first.",
    discussion: """
      A day is the family's: it begins at the hour and in the zone that `latchkey settings show` tells.

      Example: latchkey usage summary --device "Emma's PC" --from 2026-11-01 --to 2026-11-30
      """)

  @OptionGroup var node: NodeOptions

  @Option(help: "Only this machine's.")
  var device: String?

  @Option(help: ArgumentHelp("From this day on.", valueName: "day"), transform: Self.readDay)
  var from: CalendarDay?

  @Option(help: ArgumentHelp("Up to and with this day.", valueName: "day"), transform: Self.readDay)
  var to: CalendarDay?

  @Option(help: ArgumentHelp("How to write it.", valueName: "table|json|csv"))
  var format: UsageFormat = .table

  mutating func validate() throws {
    if let from, let to, from.description > to.description {
      throw ValidationError("The range ends before it begins: let --from be no later than --to.")
    }
  }

  func run() async throws {
    let console = CommandEnvironment.current.console
    let interface = try await node.open()
    let days = try await interface.summaries(device: device, from: from?.description, to: to?.description)
    switch format {
    case .json: try console.write(JSONText.pretty(days))
    case .csv: try console.write(CSVText.render(Self.csvHeader, rows: days.flatMap(Self.csvRows)))
    case .table:
      let names = try await DeviceNames(of: interface)
      // The column is there when there is something to say in it.
      let isDoubtful = days.contains { $0.isImpossible || $0.doubtfulSessions > 0 }
      let width = isDoubtful ? 7 : 6
      try console.write(
        TableText.render(
          Array(["Day", "Machine", "Application", "Category", "Active", "Points", "Doubt"].prefix(width)),
          numbers: [4, 5], rows: days.flatMap { Self.rows($0, names: names) }.map { Array($0.prefix(width)) },
          empty: "No use is recorded in this range."))
      DoubtText.explain(
        Set(days.filter { $0.isImpossible || $0.doubtfulSessions > 0 }.map { names[$0.device] }), on: console)
    }
  }

  static func rows(_ day: DailySummary, names: DeviceNames) -> [[String]] {
    let machine = names[day.device]
    let apps = day.apps.map { app in
      [
        day.day, machine, app.displayName, app.category.rawValue, ShownText.duration(app.activeMilliseconds),
        app.category == .neutral ? "–" : PointsText.text(app.category == .reward ? -app.milliPoints : app.milliPoints),
        DoubtText.words(app.activeMilliseconds, of: day),
      ]
    }
    let learning = [
      day.day, machine, "all", "learning", ShownText.duration(day.learningMilliseconds),
      PointsText.text(day.earnedMilliPoints), DoubtText.words(day.learningMilliseconds, of: day),
    ]
    let reward = [
      day.day, machine, "all", "reward", ShownText.duration(day.rewardMilliseconds), "–",
      DoubtText.words(day.rewardMilliseconds, of: day),
    ]
    return DoubtText.row(of: day, machine: machine) + [learning, reward] + apps
  }

  private static let csvHeader = [
    "day", "zone", "device", "appID", "displayName", "category", "activeMilliseconds", "milliPoints",
    "dayMilliseconds", "isImpossible", "dayIsImpossible", "doubtfulSessions",
  ]

  private static func csvRows(_ day: DailySummary) -> [[String]] {
    day.apps.map { app in
      [
        day.day, day.zone, day.device.description, app.appID.text, app.displayName, app.category.rawValue,
        String(app.activeMilliseconds), String(app.milliPoints), String(day.dayMilliseconds), String(app.isImpossible),
        String(day.isImpossible), String(day.doubtfulSessions),
      ]
    }
  }

  @Sendable private static func readDay(_ text: String) throws -> CalendarDay {
    guard let day = CalendarDay(text) else {
      throw ValidationError("That is no day: write it as 2026-11-01.")
    }
    return day
  }
}
