import LatchkeyWeb

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
