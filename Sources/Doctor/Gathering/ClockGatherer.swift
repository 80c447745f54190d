/// Looks at the wall clock.
enum ClockGatherer {
  /// Whether a time service keeps it right; nil when nobody says.
  static func isSynchronised() -> Bool? {
    guard case .output(let text) = ToolRun.run("timedatectl", ["show", "--property=NTPSynchronized", "--value"]) else {
      return nil
    }
    switch text.split(separator: "\n").first {
    case "yes": return true
    case "no": return false
    default: return nil
    }
  }
}
