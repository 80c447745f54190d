import LatchkeyModel

enum TableText {
  /// Returns rows under their headings; without rows, the sentence `empty`.
  ///
  /// On a narrow terminal, long cells are wrapped first, then columns are omitted. If the table
  /// still does not fit, each row becomes a paragraph. Cells are made safe to show here.
  ///
  /// The columns `numbers` are aligned to the right, `spare` may be omitted, in this order, and the
  /// cells of `wrap` may take several lines. A note about omitted columns is in `language`.
  static func render(
    _ headings: [String], numbers: Set<Int> = [], spare: [Int] = [], wrap: Set<Int> = [], rows: [[String]],
    empty: String, in language: Language = .english
  ) -> String {
    guard !rows.isEmpty else { return empty.inWidth + "\n" }
    let columns = TerminalEnvironment.current.outputColumns
    let safe = rows.map { $0.map(ShownText.safe) }
    for count in 0...spare.count {
      let left = headings.indices.filter { !spare.prefix(count).contains($0) }
      let part = Part(
        headings: left.map { headings[$0] }, numbers: Set(left.indices.filter { numbers.contains(left[$0]) }),
        wrap: Set(left.indices.filter { wrap.contains(left[$0]) }), rows: safe.map { row in left.map { row[$0] } })
      guard let text = part.text(columns) else { continue }
      let names = headings.indices.filter { !left.contains($0) }.map { "“\(headings[$0])”" }
      return names.isEmpty ? text : text + note(names, columns, language)
    }
    return blocks(headings, rows: safe)
  }

  /// Returns the same with headings that are put into the words of a language.
  static func render(
    _ headings: [Phrase], numbers: Set<Int> = [], spare: [Int] = [], wrap: Set<Int> = [], rows: [[String]],
    empty: Phrase, in language: Language
  ) -> String {
    render(
      headings.map { ShownText.worded($0, in: language) }, numbers: numbers, spare: spare, wrap: wrap, rows: rows,
      empty: ShownText.worded(empty, in: language), in: language)
  }

  /// Some columns of a table.
  private struct Part {
    let headings: [String]
    let numbers: Set<Int>
    let wrap: Set<Int>
    let rows: [[String]]

    /// The least width that a cell is wrapped to.
    private static let leastWidth = 10

    /// Returns the table in so many columns of the terminal; `nil` if it does not fit.
    func text(_ columns: Int) -> String? {
      var widths = headings.indices.map { index in
        max(TerminalWidth.of(headings[index]), rows.map { TerminalWidth.of($0[index]) }.max() ?? 0)
      }
      // Between two columns stands a space.
      while widths.reduce(widths.count - 1, +) > columns {
        let excess = widths.reduce(widths.count - 1, +) - columns
        guard let widest = wrap.sorted().filter({ widths[$0] > floor($0) }).max(by: { widths[$0] < widths[$1] }) else {
          return nil
        }
        let next = wrap.filter { $0 != widest }.map { widths[$0] }.max() ?? 0
        // Down to the next one, and then by turns.
        widths[widest] = max(floor(widest), min(widths[widest] - 1, max(next, widths[widest] - excess)))
      }
      let lines = rows.flatMap { row -> [[String]] in
        let cells = row.indices.map { index in
          wrap.contains(index)
            ? WrappedText.words(row[index], columns: widths[index]).split(
              separator: "\n", omittingEmptySubsequences: false
            ).map(String.init) : [row[index]]
        }
        return (0..<(cells.map(\.count).max() ?? 0)).map { line in
          cells.map { $0.indices.contains(line) ? $0[line] : "" }
        }
      }
      return table(lines)
    }

    /// Returns the width below which a column is not wrapped: that of its longest word.
    private func floor(_ index: Int) -> Int {
      let words = rows.flatMap { $0[index].split(separator: " ") }.map { TerminalWidth.of($0) }
      return max(Self.leastWidth, TerminalWidth.of(headings[index]), words.max() ?? 0)
    }

    private func table(_ rows: [[String]]) -> String {
      let widths = headings.indices.map { index in ([headings] + rows).map { TerminalWidth.of($0[index]) }.max() ?? 0 }
      let rule = widths.map { String(repeating: "-", count: $0) }
      return ([headings, rule] + rows).map { row in
        var line = row.indices.map { index in
          let blank = String(repeating: " ", count: widths[index] - TerminalWidth.of(row[index]))
          return numbers.contains(index) ? blank + row[index] : row[index] + blank
        }.joined(separator: " ")
        while line.last == " " { line.removeLast() }
        return line + "\n"
      }.joined()
    }
  }

  private static func note(_ names: [String], _ columns: Int, _ language: Language) -> String {
    let text = Phrase(
      "(Too narrow here for {columns}; a wider window and --format json have all.)",
      ["columns": .text(names.joined(separator: ", "))])
    return WrappedText.words(text.worded(in: language), columns: columns) + "\n"
  }

  /// Returns every row as a paragraph, for a terminal that no table fits; empty cells are left out.
  private static func blocks(_ headings: [String], rows: [[String]]) -> String {
    rows.map { row in FieldsText.render(zip(headings, row).filter { !$1.isEmpty }.map { ($0, $1) }) }.joined(
      separator: "\n")
  }
}

/// One thing in full: a name and a value on each line.
///
/// A long value goes on below itself.
enum FieldsText {
  /// The columns that a value has at least, however narrow the terminal is.
  private static let leastColumns = 12

  /// Returns the fields as text; their values are made safe to show here.
  ///
  /// Names begin in the column `indent` and take `width` columns, which are those of the longest
  /// and two more if it is `nil`.
  static func render(_ fields: [(name: String, value: String)], indent: Int = 0, width: Int? = nil) -> String {
    let column = indent + (width ?? 2 + (fields.map { TerminalWidth.of($0.name) }.max() ?? 0))
    let columns = max(TerminalEnvironment.current.outputColumns - column, leastColumns)
    let margin = String(repeating: " ", count: column)
    return fields.map { name, value in
      let words = WrappedText.words(ShownText.safe(value), columns: columns)
      let head = String(repeating: " ", count: indent) + name
      return head + margin.dropFirst(TerminalWidth.of(head)) + words.replacing("\n", with: "\n" + margin) + "\n"
    }.joined()
  }
}
