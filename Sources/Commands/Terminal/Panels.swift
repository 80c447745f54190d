import LatchkeyModel

/// Lines in a terminal that change in place, below earlier output.
struct LivePanel {
  private let console: any Console
  /// The lines in the terminal; the cursor is in the first column below them.
  private var shown: [String] = []

  init(console: any Console) { self.console = console }

  /// Replaces the lines that are shown, by lines not wider than the terminal and fewer than its
  /// rows.
  ///
  /// Drawing all lines and clearing the rest removes output from other programs.
  mutating func show(_ lines: [String]) {
    guard lines != shown else { return }
    let up = shown.isEmpty ? "" : "\u{1B}[\(shown.count)A\r"
    console.draw(up + lines.map { $0 + "\u{1B}[K\n" }.joined() + "\u{1B}[J")
    shown = lines
  }

  /// Scrolls the lines, which a resized terminal may have broken, out of sight and shows new ones.
  mutating func showAnew(_ lines: [String], rows: Int) {
    console.draw(String(repeating: "\n", count: rows) + "\u{1B}[H\u{1B}[J" + lines.map { $0 + "\n" }.joined())
    shown = lines
  }

  /// Leaves the lines in place and continues below them.
  mutating func leave() { shown = [] }

  func shows(_ lines: [String]) -> Bool { lines == shown }
}

/// A prompt with the typed text, and lines above it that change in place.
struct PromptPanel {
  private let console: any Console
  /// The rows of the terminal from the first line to the cursor; `nil` if nothing is drawn.
  private var rowsAbove: Int?

  init(console: any Console) { self.console = console }

  /// Replaces the panel that is drawn.
  ///
  /// The lines are not wider than the terminal. The typed text is made safe to show here.
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

  /// Moves the lines out of sight, since a resized terminal may have broken them.
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

/// A line that is typed key by key, for a prompt above which things change.
struct LineEditor: Sendable {
  enum Outcome: Hashable, Sendable {
    case typing
    case line(String)
    /// Ctrl-D on an empty line.
    case end
  }

  /// The typed text, up to the last complete character.
  private(set) var text = ""
  private var bytes: [UInt8] = []
  private var escape: Escape = .none

  private enum Escape { case none, begun, sequence }

  /// Bytes that a line may have; further ones are not taken.
  static let lineBytes = Limits.messageBytes

  /// Processes bytes from the terminal; those after a line end are discarded, since they were typed
  /// before the next question.
  mutating func received(_ input: [UInt8]) -> Outcome {
    for byte in input {
      switch (escape, byte) {
      case (.begun, UInt8(ascii: "[")), (.begun, UInt8(ascii: "O")): escape = .sequence
      case (.begun, _): escape = .none
      case (.sequence, 0x40...0x7E): escape = .none
      case (.sequence, _): break
      case (.none, 0x1B): escape = .begun
      case (.none, UInt8(ascii: "\n")), (.none, UInt8(ascii: "\r")):
        return .line(String(decoding: bytes, as: UTF8.self))
      case (.none, 0x04) where bytes.isEmpty: return .end
      case (.none, 0x7F), (.none, 0x08): removeLast()
      case (.none, 0x15): bytes = []
      case (.none, 0x09): append(0x20)
      case (.none, 0x20...): append(byte)
      case (.none, _): break
      }
    }
    text = String(decoding: bytes, as: UTF8.self)
    return .typing
  }

  private mutating func append(_ byte: UInt8) { if bytes.count < Self.lineBytes { bytes.append(byte) } }

  private mutating func removeLast() { while let last = bytes.popLast(), last & 0xC0 == 0x80 {} }
}
