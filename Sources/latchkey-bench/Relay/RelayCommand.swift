import ArgumentParser
import Foundation
import LatchkeyModel
import TextTable

/// `latchkey-bench relay`: a parent and a child, each a process with a database of its own, relay commands end to end.
struct RelayCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "relay", abstract: "Relay messages from a parent's process to a child's.",
    discussion: """
      Both sides commit with fsync and everything is encrypted; each message is a command that is accepted, sent, \
      brought into force and answered with a receipt. A fixed number is under way at a time (--concurrency). Latency is \
      from accepted (durable here) to stored (durable there).
      """)

  @Option(help: "How many messages.") var messages = 100_000
  @Option(help: "Bytes of text in each.") var size = 200
  @Option(help: "How many are under way at a time.") var concurrency = 2_048
  @Option(help: "table or json.") var format = BenchFormat.table

  func validate() throws {
    guard (1...10_000_000).contains(messages) else { throw ValidationError("Give --messages 1 to 10,000,000.") }
    guard (1...4_096).contains(size) else { throw ValidationError("Give --size 1 to 4,096 bytes.") }
    guard (1...4_096).contains(concurrency) else { throw ValidationError("Give --concurrency 1 to 4,096.") }
  }

  func run() async throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("latchkey-bench-\(getpid())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let parent = try WorkerProcess(role: .parent, folder: folder.appendingPathComponent("parent").path)
    let child = try WorkerProcess(role: .child, folder: folder.appendingPathComponent("child").path)
    defer {
      parent.end()
      child.end()
    }
    let code = try parent.read("code")
    try child.write(code)
    _ = try child.read("paired")
    let idle = Int64(try child.read("idle")) ?? 0
    try parent.write("\(messages) \(size) \(concurrency)")
    var report = try JSONDecoder().decode(RelayReport.self, from: Data(try parent.read("report").utf8))
    try child.write("report")
    report.childRSSBytes = Int64(try child.read("resident")) ?? 0
    report.idleChildRSSBytes = idle
    show(report)
  }

  private func show(_ report: RelayReport) {
    switch format {
    case .json:
      let encoder = JSONEncoder()
      encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
      if let data = try? encoder.encode(report) { print(String(decoding: data, as: UTF8.self)) }
    case .table:
      let rows: [(String, String)] = [
        ("durable end to end", "\(Int(report.messagesPerSecond)) messages/s"),
        ("executed, receipts back", "\(Int(report.executedPerSecond)) messages/s"),
        ("accepted to stored, under load", "p50 \(report.p50Microseconds) µs, p99 \(report.p99Microseconds) µs"),
        (
          "accepted to stored, one at a time",
          "p50 \(report.singleP50Microseconds) µs, p99 \(report.singleP99Microseconds) µs"
        ),
        ("parent resident", Self.megabytes(report.parentRSSBytes)),
        ("child resident", Self.megabytes(report.childRSSBytes)),
        ("child resident, idle before", Self.megabytes(report.idleChildRSSBytes)),
      ]
      print("\(messages) messages of \(size) bytes, \(concurrency) under way, parent to child on loopback")
      let table = TextTable<(String, String)> { row in
        [Column(title: "what", value: row.0), Column(title: "figure", value: row.1)]
      }
      if let text = table.string(for: rows) { print(text) }
    }
  }

  private static func megabytes(_ bytes: Int64) -> String { String(format: "%.1f MB", Double(bytes) / 1e6) }
}
