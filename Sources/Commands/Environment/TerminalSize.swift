/// How many characters a terminal shows.
struct TerminalSize: Hashable, Sendable {
  var columns: Int
  var rows: Int

  /// What is assumed of a terminal that does not say.
  static let usual = TerminalSize(columns: 80, rows: 24)
}
