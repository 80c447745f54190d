/// Lines in a terminal that change in place; what was printed before them stays where it is.
struct LivePanel {
  private let console: any Console
  /// What stands in the terminal; the cursor is in the first column below it.
  private var shown: [String] = []

  init(console: any Console) {
    self.console = console
  }

  /// Show lines in place of those that are shown.
  ///
  /// - Parameter lines: none wider than the terminal, and fewer than its rows.
  mutating func show(_ lines: [String]) {
    guard lines != shown else { return }
    guard lines.count == shown.count else {
      let up = shown.isEmpty ? "" : "\u{1B}[\(shown.count)A\r\u{1B}[J"
      console.draw(up + lines.map { $0 + "\n" }.joined())
      shown = lines
      return
    }
    for (index, line) in lines.enumerated() where line != shown[index] {
      let rows = lines.count - index
      console.draw("\u{1B}[\(rows)A\r\(line)\u{1B}[K\u{1B}[\(rows)B\r")
    }
    shown = lines
  }

  /// Show lines after the terminal has changed its size and may have broken those that are shown: they move out of sight.
  mutating func showAnew(_ lines: [String], rows: Int) {
    console.draw(String(repeating: "\n", count: rows) + "\u{1B}[H\u{1B}[J" + lines.map { $0 + "\n" }.joined())
    shown = lines
  }

  /// Leave what is shown as it is and go on below it.
  mutating func leave() {
    shown = []
  }

  /// Whether these lines are the ones that are shown.
  func shows(_ lines: [String]) -> Bool { lines == shown }
}
