/// Lines in a terminal that change in place, below earlier output.
struct LivePanel {
  private let console: any Console
  /// The lines in the terminal; the cursor is in the first column below them.
  private var shown: [String] = []

  init(console: any Console) { self.console = console }

  /// Replaces the lines that are shown.
  ///
  /// All lines are drawn each time and the rest of the screen is cleared, which removes output from
  /// other programs.
  ///
  /// - Parameter lines: The lines, not wider than the terminal and fewer than its rows.
  mutating func show(_ lines: [String]) {
    guard lines != shown else { return }
    let up = shown.isEmpty ? "" : "\u{1B}[\(shown.count)A\r"
    console.draw(up + lines.map { $0 + "\u{1B}[K\n" }.joined() + "\u{1B}[J")
    shown = lines
  }

  /// Shows lines after the terminal was resized, which may have broken the shown lines: these are
  /// scrolled out of sight.
  mutating func showAnew(_ lines: [String], rows: Int) {
    console.draw(String(repeating: "\n", count: rows) + "\u{1B}[H\u{1B}[J" + lines.map { $0 + "\n" }.joined())
    shown = lines
  }

  /// Leaves the lines in place and continues below them.
  mutating func leave() { shown = [] }

  func shows(_ lines: [String]) -> Bool { lines == shown }
}
