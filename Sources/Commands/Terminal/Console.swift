import LatchkeyWeb

/// The input and output of a command.
protocol Console: Sendable {
  /// A Boolean value that indicates whether a person types the input.
  var inputIsTerminal: Bool { get }
  /// A Boolean value that indicates whether a person reads the output.
  var outputIsTerminal: Bool { get }
  /// A Boolean value that indicates whether a person reads standard error.
  var talkIsTerminal: Bool { get }
  /// The size of the terminal on standard error.
  var size: TerminalSize { get }

  /// Writes text to standard output; throws `TerminalFailure`, such as on a full disk.
  func write(_ text: String) throws(TerminalFailure)

  /// Writes a message for the person to standard error, on its own line.
  func note(_ text: String)

  /// Writes a question to standard error and leaves the cursor behind it.
  func prompt(_ text: String)

  /// Writes text to the terminal on standard error unchanged, including control sequences.
  func draw(_ text: String)

  /// Reads a line without its end; `nil` at the end of the input or if the task is cancelled.
  func readLine() async -> String?

  /// Reads at most 4,096 typed bytes; `nil` at the end of the input or if the task is cancelled.
  func readKeys() async -> [UInt8]?

  /// Sets how the terminal delivers input, until the next call.
  func setInput(_ input: TerminalInput)

  /// Discards input that was typed before a question was asked.
  func forgetInput()

  /// Returns Ctrl-C, SIGTERM and the loss of the terminal, caught while the stream lives.
  func interrupts() -> AsyncStream<Void>

  func resizes() -> AsyncStream<Void>
}

extension Console {
  /// Writes a sentence to standard output, in lines that fit a terminal there.
  func say(_ sentence: String) throws(TerminalFailure) { try write(sentence.inWidth + "\n") }

  /// Prints a text in lines that fit the terminal.
  func noteWrapped(_ text: String) { for line in WrappedText.lines(text, columns: size.columns - 1) { note(line) } }
}

/// The size of a terminal in characters.
struct TerminalSize: Hashable, Sendable {
  var columns: Int
  var rows: Int

  /// The size that is assumed if the terminal does not report one.
  static let usual = TerminalSize(columns: 80, rows: 24)
}

/// A question whose answer the terminal does not show, such as for a password.
///
/// Such an answer is never an argument, which other accounts of the machine could read.
enum HiddenPrompt {
  /// Returns what a person types or, without a terminal, the next line of standard input; `nil`
  /// after Ctrl-C or at the end of the input.
  static func line(_ question: String) async -> String? {
    let console = TerminalEnvironment.current.console
    let typed = console.inputIsTerminal ? await hiddenLine(question, console) : await console.readLine()
    guard let typed else { return nil }
    return typed.last == "\r" ? String(typed.dropLast()) : typed
  }

  private static func hiddenLine(_ question: String, _ console: any Console) async -> String? {
    let interrupts = console.interrupts()
    console.setInput(.hidden)
    defer { console.setInput(.lines) }
    console.prompt(question)
    // The end of the line is typed unseen.
    defer { console.prompt("\n") }
    return await withTaskGroup(of: (isEnd: Bool, line: String?).self) { group in
      group.addTask { (true, await console.readLine()) }
      group.addTask {
        for await _ in interrupts { return (true, nil) }
        // No more interrupts come.
        return (false, nil)
      }
      defer { group.cancelAll() }
      for await answer in group where answer.isEnd { return answer.line }
      return nil
    }
  }
}

/// The abilities of a terminal and the preferences of its user.
struct TerminalLook: Hashable, Sendable {
  /// A Boolean value that indicates whether the cursor may be moved, to draw in place.
  var moves: Bool
  var paint: QRCodeText.Paint
  /// A Boolean value that indicates whether the terminal shows characters beyond ASCII correctly.
  var isUnicode: Bool

  /// Judges by choices and the environment, since a terminal that is asked may not answer.
  init(isPlain: Bool, background: BackgroundArgument?, environment: TerminalEnvironment) {
    let variables = environment.variables
    let isDumb = variables["TERM"] == "dumb" || (variables["TERM"] ?? "").isEmpty
    moves = !isPlain && !isDumb
    paint = .colours
    if !environment.mayColour {
      paint = (background ?? Self.background(variables["COLORFGBG"])) == .light ? .onLight : .onDark
    }
    let locale = ["LC_ALL", "LC_CTYPE", "LANG"].lazy.compactMap { variables[$0] }.first { !$0.isEmpty }
    let encoding = locale?.lowercased().replacing("-", with: "")
    isUnicode = encoding.map { $0.contains("utf8") } ?? true
  }

  /// Returns the background from `foreground;background`, which some terminals set, with the
  /// numbers of the 16 colors.
  private static func background(_ text: String?) -> BackgroundArgument {
    guard let number = text?.split(separator: ";").last.flatMap({ Int($0) }) else { return .dark }
    return number == 7 || (9...15).contains(number) ? .light : .dark
  }
}

/// A QR code drawn with characters of half a module pair each, so that a module is about square.
struct QRCodeText: Hashable, Sendable {
  /// How modules become characters.
  enum Paint: Hashable, Sendable {
    /// Black on white, regardless of the terminal's own colors.
    case colours
    /// Without colours, in a terminal whose background is dark: light modules are drawn.
    case onDark
    /// Without colours, in a terminal whose background is light: dark modules are drawn.
    case onLight
  }

  /// The rows, all of the same width.
  let lines: [String]
  /// The characters of a line in the terminal.
  let width: Int

  // Colors of the 256-color palette, because themes redefine the first 16.
  private static let blackOnWhite = "\u{1B}[38;5;16;48;5;231m"
  private static let plain = "\u{1B}[0m"

  /// Creates the drawing of a code with its quiet zone.
  init(_ code: QRCode, paint: Paint) {
    let edge = QRCode.quietZone
    width = code.fullSize
    lines = stride(from: -edge, to: code.size + edge, by: 2).map { row in
      let text = (-edge..<code.size + edge).map { column in
        // The last row of characters has a lower half that belongs to no module; it stays light.
        Self.character(top: code[column: column, row: row], bottom: code[column: column, row: row + 1], paint)
      }.joined()
      return paint == .colours ? Self.blackOnWhite + text + Self.plain : text
    }
  }

  private static func character(top: Bool, bottom: Bool, _ paint: Paint) -> String {
    let (top, bottom) = paint == .onDark ? (!top, !bottom) : (top, bottom)
    return switch (top, bottom) {
    case (true, true): "█"
    case (true, false): "▀"
    case (false, true): "▄"
    case (false, false): " "
    }
  }
}
