import LatchkeyModel

/// A prompt with the typed text, and lines above it that change in place.
struct PromptPanel {
  private let console: any Console
  /// The rows of the terminal from the first line to the cursor; `nil` if nothing is drawn.
  private var rowsAbove: Int?

  init(console: any Console) { self.console = console }

  /// Replaces the panel that is drawn.
  ///
  /// - Parameters:
  ///   - lines: The lines above the prompt, not wider than the terminal.
  ///   - prompt: The text before the input.
  ///   - typed: The input, which is made safe to show here.
  mutating func show(_ lines: [String], prompt: String, typed: String) {
    let columns = console.size.columns
    let input = prompt + PrintableText.of(typed)
    let width = TerminalWidth.of(input)
    var text = rowsAbove.map { $0 > 0 ? "\u{1B}[\($0)A\r\u{1B}[J" : "\r\u{1B}[J" } ?? ""
    text += lines.map { $0 + "\n" }.joined() + input
    // A full row leaves the cursor in a place that terminals disagree about.
    if width > 0, width % columns == 0 { text += " \r" }
    console.draw(text)
    rowsAbove = lines.count + width / columns
  }

  /// The terminal has changed its size and may have broken the lines: they move out of sight before
  /// the next drawing.
  mutating func startAnew() {
    console.draw(String(repeating: "\n", count: console.size.rows) + "\u{1B}[H\u{1B}[J")
    rowsAbove = nil
  }

  /// Leaves the panel in place and continues below it.
  mutating func leave() {
    if rowsAbove != nil { console.draw("\n") }
    rowsAbove = nil
  }
}
