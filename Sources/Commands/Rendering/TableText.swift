import TextTable

/// A table as text.
enum TableText {
  /// Lay rows out under their headings; without rows, say `empty` instead.
  ///
  /// - Parameters:
  ///   - headings: one a column.
  ///   - numbers: the columns whose cells stand to the right.
  ///   - spare: the columns that a terminal too narrow for all of them is spared, the first one first.
  ///   - rows: as many cells as headings each; made safe to show here.
  static func render(
    _ headings: [String], numbers: Set<Int> = [], spare: [Int] = [], rows: [[String]], empty: String
  ) -> String {
    guard !rows.isEmpty else { return empty.inWidth + "\n" }
    let console = CommandEnvironment.current.console
    let columns = console.outputIsTerminal ? console.size.columns : Int.max
    for count in 0...spare.count {
      let left = headings.indices.filter { !spare.prefix(count).contains($0) }
      let text = table(
        left.map { headings[$0] }, numbers: Set(left.indices.filter { numbers.contains(left[$0]) }),
        rows: rows.map { row in left.map { row[$0] } })
      guard !fits(text, columns) else {
        let names = headings.indices.filter { !left.contains($0) }.map { "“\(headings[$0])”" }
        return names.isEmpty ? text : text + note(names, columns)
      }
    }
    return blocks(headings, rows: rows, columns)
  }

  private static func fits(_ text: String, _ columns: Int) -> Bool {
    text.split(separator: "\n").allSatisfy { WrappedText.width($0) <= columns }
  }

  private static func note(_ names: [String], _ columns: Int) -> String {
    let text = "(Too narrow here for \(names.joined(separator: ", ")); a wider window and --format json have all.)"
    return WrappedText.words(text, columns: columns) + "\n"
  }

  /// Every row as a paragraph, for a terminal that no table fits.
  private static func blocks(_ headings: [String], rows: [[String]], _ columns: Int) -> String {
    let width = (headings.map(\.count).max() ?? 0) + 2
    return rows.map { row in
      zip(headings, row).map { heading, cell in
        let words = WrappedText.words(ShownText.safe(cell), columns: max(columns - width, 12))
        return heading + String(repeating: " ", count: width - heading.count)
          + words.replacing("\n", with: "\n" + String(repeating: " ", count: width)) + "\n"
      }.joined()
    }.joined(separator: "\n")
  }

  private static func table(_ headings: [String], numbers: Set<Int>, rows: [[String]]) -> String {
    let table = TextTable<[String]> { row in
      zip(headings, row).enumerated().map { index, cell in
        Column(title: cell.0, value: cell.1, align: numbers.contains(index) ? .right : .left)
      }
    }
    let safe = rows.map { $0.map(ShownText.safe) }
    guard let text = table.string(for: safe, style: Style.simple) else { return "" }
    let lines = text.split(separator: "\n", omittingEmptySubsequences: true).map { line in
      var line = line
      while line.last == " " { line.removeLast() }
      return line
    }
    return lines.joined(separator: "\n") + "\n"
  }
}
