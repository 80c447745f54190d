import LatchkeyWeb

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

  /// One a row, all of the same width.
  let lines: [String]
  /// Characters a line takes in the terminal.
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
