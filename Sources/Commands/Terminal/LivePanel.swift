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
  /// All of them are drawn each time, and nothing is left below: what others have written in between is gone then.
  ///
  /// - Parameter lines: none wider than the terminal, and fewer than its rows.
  mutating func show(_ lines: [String]) {
    guard lines != shown else { return }
    let up = shown.isEmpty ? "" : "\u{1B}[\(shown.count)A\r"
    console.draw(up + lines.map { $0 + "\u{1B}[K\n" }.joined() + "\u{1B}[J")
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
