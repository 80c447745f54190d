import Foundation
import TextTable

/// The table of the figures, as text.
enum BenchTable {
  static func text(_ rows: [BenchRow]) -> String {
    let table = TextTable<BenchRow> { row in
      [
        Column(title: "what", value: row.name),
        Column(title: "ours", value: number(row.ours), align: .right),
        Column(title: "peer", value: row.peer.map(number) ?? "", align: .right),
        Column(title: "unit", value: row.unit),
        Column(title: "ratio", value: row.ratio.map { String(format: "%.2f", $0) } ?? "", align: .right),
        Column(title: "target", value: row.target ?? ""),
        Column(title: "met", value: row.met.map { $0 ? "yes" : "NO" } ?? ""),
      ]
    }
    return table.string(for: rows) ?? ""
  }

  static func json(_ rows: [BenchRow]) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    return String(decoding: try encoder.encode(rows), as: UTF8.self)
  }

  private static func number(_ value: Double) -> String { String(format: value < 100 ? "%.2f" : "%.0f", value) }
}
