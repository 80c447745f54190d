/// What a terminal can show, and what its person wants to see.
struct TerminalLook: Hashable, Sendable {
  /// Whether the cursor may be moved, so that the time left counts down in place.
  var moves: Bool
  var paint: QRCodeText.Paint
  /// Whether characters beyond ASCII arrive as they are meant.
  var isUnicode: Bool

  /// Judge by what was asked for and by the environment; the terminal itself is asked nothing, since it may not answer.
  ///
  /// - Parameters:
  ///   - isPlain: one line an event, nothing drawn.
  ///   - background: nil when the person did not say.
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

  /// Read `foreground;background` as some terminals tell it; the numbers are those of the 16 colours.
  private static func background(_ text: String?) -> BackgroundArgument {
    guard let number = text?.split(separator: ";").last.flatMap({ Int($0) }) else { return .dark }
    return number == 7 || (9...15).contains(number) ? .light : .dark
  }
}
