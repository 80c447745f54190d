import ArgumentParser
import Foundation

/// The command `latchkey-bench household`: the cost of decisions, reports and totals.
struct HouseholdCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "household", abstract: "Decide, report and add up for a family, beside Python's zoneinfo and SQLite.",
    discussion: """
      Decisions and reports are computed in this process; the totals across machines are those of real nodes on \
      loopback. Run it with Tools/benchmark-household.
      """)

  @Option(help: "Days for which is decided, every minute.") var days = 365
  @Option(help: "Records in a report.") var records = 100_000
  @Option(help: "Repetitions of each report; the median counts.") var rounds = 5
  @Option(help: "Sessions on one of a child's machines that the other hears of.") var sessions = 30
  @Option(help: "table or json.") var format = BenchFormat.table
  @Option(help: "Write the table and the JSON into this folder, too.") var save: String?

  func validate() throws {
    guard (1...3_660).contains(days) else { throw ValidationError("Give --days 1 to 3,660.") }
    guard (100...1_000_000).contains(records) else { throw ValidationError("Give --records 100 to 1,000,000.") }
    guard (1...100).contains(rounds) else { throw ValidationError("Give --rounds 1 to 100.") }
    guard (1...1_000).contains(sessions) else { throw ValidationError("Give --sessions 1 to 1,000.") }
  }

  func run() async throws {
    let machine = BenchMachine(folder: FileManager.default.temporaryDirectory.path)
    let before = machine.text
    let family = BenchFamily()
    let peers = PythonPeers()
    var rows = [try DecisionBench(family: family, days: days).row(peers)]
    rows += try ReportBench(family: family, records: records, rounds: rounds).rows(peers)
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("latchkey-bench-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    rows += try await SharedUseBench(folder: folder.path, sessions: sessions).rows()
    let table =
      "\(before) before and \(machine.load) after\n\n\(BenchTable.text(rows))\n\n"
      + "decisions: processor time for two children, every minute of \(days) days, \(BenchFamily.apps.count + 1) programs "
      + "each; the peer is Python's zoneinfo, which only tells the local date and time of each of these minutes once.\n"
      + "reports: \(records) records of a year, \(BenchFamily.apps.count) applications; the peer is SQLite with the same "
      + "records in memory, which sums them by UTC day, week or month and application and divides no session.\n"
      + "machines: a parent's and a child's two, real nodes on loopback, \(sessions) sessions; from the request that begins "
      + "a session, or the end of its program, to the event of the local API that shows it; the peer is a command of 200 B "
      + "between two nodes, from asked for to stored."
    let json = try BenchTable.json(rows)
    if let save {
      let folder = URL(fileURLWithPath: save)
      try Data((table + "\n").utf8).write(to: folder.appendingPathComponent("household.txt"))
      try Data((json + "\n").utf8).write(to: folder.appendingPathComponent("household.json"))
    }
    print(format == .json ? json : table)
  }
}
