import ArgumentParser

/// The form in which a status bar takes its text.
enum WidgetFormat: String, WordArgument, Sendable {
  case waybar
  case i3blocks
  case tmux
  case plain

  /// The status by which i3blocks marks a block as urgent; it takes any other than 0 for a fault.
  static let urgentStatus: Int32 = 33

  /// Returns a line as the bar takes it, with its line ends.
  ///
  /// - Parameters:
  ///   - line: What to show.
  ///   - mayColor: Whether colors are permitted.
  /// - Returns: One line, for i3blocks two or three.
  /// - Throws: An error of the JSON encoder, which no line causes.
  func text(_ line: WidgetLine, mayColor: Bool) throws -> String {
    let color = mayColor ? line.mood.color : nil
    switch self {
    case .plain: return line.text + "\n"
    case .waybar: return try JSONText.line(WaybarLine(line))
    case .i3blocks: return ([line.text, line.text] + [color].compactMap(\.self)).joined(separator: "\n") + "\n"
    case .tmux:
      // tmux takes a doubled # for the character.
      let text = line.text.replacing("#", with: "##")
      return (color.map { "#[fg=\($0)]\(text)#[default]" } ?? text) + "\n"
    }
  }

  /// Returns the exit status for a line.
  func status(_ line: WidgetLine) -> Int32 {
    self == .i3blocks && line.isUrgent ? Self.urgentStatus : ExitStatus.ok.rawValue
  }
}

/// What a custom module of waybar reads.
private struct WaybarLine: Encodable {
  var text: String
  var alt: String
  var tooltip: String
  var `class`: [String]
  var percentage: Int?

  init(_ line: WidgetLine) {
    text = Self.markup(line.text)
    alt = line.mood.rawValue
    tooltip = line.details.map(Self.markup).joined(separator: "\n")
    `class` = [line.mood.rawValue] + (line.isUrgent ? ["urgent"] : [])
    percentage = line.percentage
  }

  /// Returns a text without what Pango takes for markup.
  private static func markup(_ text: String) -> String {
    text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
  }
}
