import TextTable

/// A table as text.
enum TableText {
  /// Lay rows out under their headings; without rows, say `empty` instead.
  ///
  /// - Parameters:
  ///   - headings: one a column.
  ///   - numbers: the columns whose cells stand to the right.
  ///   - rows: as many cells as headings each; made safe to show here.
  static func render(_ headings: [String], numbers: Set<Int> = [], rows: [[String]], empty: String) -> String {
    let table = TextTable<[String]> { row in
      zip(headings, row).enumerated().map { index, cell in
        Column(title: cell.0, value: cell.1, align: numbers.contains(index) ? .right : .left)
      }
    }
    let safe = rows.map { $0.map(ShownText.safe) }
    guard let text = table.string(for: safe, style: Style.simple) else { return empty + "\n" }
    let lines = text.split(separator: "\n", omittingEmptySubsequences: true).map { line in
      var line = line
      while line.last == " " { line.removeLast() }
      return line
    }
    return lines.joined(separator: "\n") + "\n"
  }
}
