/// The abilities of a terminal and the preferences of its user.
struct TerminalLook: Hashable, Sendable {
  /// A Boolean value that indicates whether the cursor may be moved, so that the time left counts
  /// down in place.
  var moves: Bool
  var paint: QRCodeText.Paint
  /// A Boolean value that indicates whether the terminal shows characters beyond ASCII correctly.
  var isUnicode: Bool

  /// Creates a look from the person's choices and the environment, without asking the terminal,
  /// which may not answer.
  ///
  /// - Parameters:
  ///   - isPlain: Whether to print one line for each event and draw nothing.
  ///   - background: The background that the person stated; `nil` for none.
  ///   - environment: The environment of the terminal.
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
