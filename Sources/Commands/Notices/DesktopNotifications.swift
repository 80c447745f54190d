import LatchkeySystem

/// The notification service of the desktop on which this process runs, through `busctl`.
///
/// It implements the Desktop Notifications Specification, `org.freedesktop.Notifications`.
struct DesktopNotifications {
  private static let service = "org.freedesktop.Notifications"
  private static let place = "/org/freedesktop/Notifications"
  /// The variables that lead to the session's bus.
  private static let names = ["DBUS_SESSION_BUS_ADDRESS", "XDG_RUNTIME_DIR", "HOME"]
  /// The most notifications whose numbers are kept, to be replaced.
  private static let capacity = 64

  private let variables: [String: String]
  private let takesMarkup: Bool
  private var shown: [(key: String, number: UInt32)] = []

  /// Connects to the notification service.
  ///
  /// - Parameter variables: The environment variables of the process.
  /// - Throws: `TerminalFailure` if there is none, with the next step.
  init(_ variables: [String: String]) throws(TerminalFailure) {
    self.variables = variables.filter { Self.names.contains($0.key) }
    takesMarkup = try Self.call("GetCapabilities", [], self.variables).contains("\"body-markup\"")
  }

  /// Shows a sentence, in the place of the last one with the same key.
  ///
  /// - Throws: `TerminalFailure` if the service has gone, with the next step.
  mutating func show(_ title: String, _ sentence: String, key: String) throws(TerminalFailure) {
    let number = shown.first { $0.key == key }?.number ?? 0
    let answer = try Self.call(
      "Notify",
      [
        "susssasa{sv}i", "Latchkey", String(number), "", title, takesMarkup ? Self.escaped(sentence) : sentence, "0",
        "0", "-1",
      ], variables)
    shown.removeAll { $0.key == key }
    if let new = answer.split(separator: " ").last.flatMap({ UInt32($0.filter(\.isNumber)) }) {
      shown.append((key, new))
      shown = Array(shown.suffix(Self.capacity))
    }
  }

  private static func call(
    _ method: String, _ arguments: [String], _ variables: [String: String]
  ) throws(TerminalFailure) -> String {
    let words = ["--user", "--timeout=5", "--", "call", service, place, service, method]
    switch ToolRun.run("busctl", words + arguments, bytes: 65_536, seconds: 10, variables: variables) {
    case .output(let answer): return answer
    case .absent:
      throw TerminalFailure(
        .unavailable, "Notices cannot be shown without busctl: install the package systemd, and run this again.")
    case .failed(let reason):
      throw TerminalFailure(
        .unavailable,
        "This session has no notification service (\(reason)): run this in a desktop session, or install one, such as the "
          + "package dunst.")
    }
  }

  /// Returns a text of which the service reads nothing as markup.
  static func escaped(_ text: String) -> String {
    text.reduce(into: "") { result, character in
      switch character {
      case "&": result += "&amp;"
      case "<": result += "&lt;"
      case ">": result += "&gt;"
      default: result.append(character)
      }
    }
  }
}
