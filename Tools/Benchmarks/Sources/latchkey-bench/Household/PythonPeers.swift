import Foundation
import LatchkeyModel
import LatchkeyRules

/// The yardsticks of the figures: Python's zoneinfo, and SQLite through Python.
struct PythonPeers {
  /// Returns the processor time in which zoneinfo computes the local date and time of consecutive
  /// minutes, in seconds.
  func localTimes(from start: Int64, minutes: Int) throws -> Double {
    let script = """
      import datetime, time, zoneinfo
      zone = zoneinfo.ZoneInfo("Europe/Berlin")
      began = time.process_time()
      for minute in range(\(minutes)):
          datetime.datetime.fromtimestamp(\(start / 1_000) + 60 * minute, zone)
      print(time.process_time() - began)
      """
    guard let seconds = try numbers(script, input: "").first else { throw BenchFault("python3 printed no figure.") }
    return seconds
  }

  /// Returns the processor times in which SQLite sums records by application and by day, week and
  /// month, in milliseconds.
  func sums(of slices: [UsageSlice], rounds: Int) throws -> [Double] {
    let script = """
      import sqlite3, statistics, sys, time
      database = sqlite3.connect(":memory:")
      database.execute("CREATE TABLE record (start INTEGER, app TEXT, active INTEGER, earned INTEGER)")
      rows = (line.rstrip("\\n").split("\\t") for line in sys.stdin)
      database.executemany("INSERT INTO record VALUES (?, ?, ?, ?)", rows)
      for period in ("%Y-%m-%d", "%Y-%W", "%Y-%m"):
          taken = []
          for _ in range(\(rounds)):
              began = time.process_time()
              database.execute(
                  "SELECT strftime(?, start / 1000, 'unixepoch') AS period, app, SUM(active), SUM(earned), COUNT(*) "
                  "FROM record GROUP BY period, app", (period,)).fetchall()
              taken.append((time.process_time() - began) * 1000)
          print(statistics.median(taken))
      """
    let lines = slices.map { "\($0.start)\t\($0.appID)\t\($0.activeMilliseconds)\t\($0.earnedMilliPoints)\n" }
    let sums = try numbers(script, input: lines.joined())
    guard sums.count == 3 else { throw BenchFault("python3 printed no figures of SQLite.") }
    return sums
  }

  private func numbers(_ script: String, input: String) throws -> [Double] {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("latchkey-bench-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let (source, data) = (folder.appendingPathComponent("peer.py"), folder.appendingPathComponent("records"))
    try Data(script.utf8).write(to: source)
    try Data(input.utf8).write(to: data)
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/python3")
    process.arguments = [source.path]
    process.standardInput = try FileHandle(forReadingFrom: data)
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    return text.split(separator: "\n").compactMap { Double($0) }
  }
}
