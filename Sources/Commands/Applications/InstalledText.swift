import LatchkeyModel
import LatchkeyNode
import LatchkeyRules

/// The applications that are installed on a machine, as text.
enum InstalledText {
  static func table(_ machine: InstalledListing) -> String {
    TableText.render(
      ["Application", "ID", "Version", "Suggested", "Set"], spare: [2, 3], wrap: [0, 4],
      rows: machine.apps.map { app in
        [
          app.displayName, app.appID.text, upstream(app.version), app.suggestion?.rawValue ?? "–",
          settings(app.settings),
        ]
      },
      empty: machine.toldAt == nil
        ? "Nothing is known yet of what is installed on \(ShownText.safe(machine.deviceName.text))."
        : "No applications were found on \(ShownText.safe(machine.deviceName.text)).")
  }

  /// Returns the program's own version of a package's, such as `1.4` of `1:1.4+dfsg-2`.
  private static func upstream(_ version: String) -> String {
    var text = Substring(version)
    if let colon = text.firstIndex(of: ":"), text[..<colon].allSatisfy(\.isNumber) {
      text = text[text.index(after: colon)...]
    }
    if let dash = text.lastIndex(of: "-"), dash > text.startIndex { text = text[..<dash] }
    if let suffix = text.firstRange(of: "+dfsg") { text = text[..<suffix.lowerBound] }
    return text.isEmpty ? version : String(text)
  }

  /// Returns what is set for an application; for several children, unless it is the same for all,
  /// with their names.
  private static func settings(_ settings: [InstalledListing.Setting]) -> String {
    let words = settings.map(words)
    guard Set(words).count > 1 else { return words.first ?? "–" }
    return zip(settings, words).map { "\(ShownText.safe($0.childName.text)): \($1)" }.joined(separator: "; ")
  }

  private static func words(_ setting: InstalledListing.Setting) -> String {
    var words: [String] = []
    if setting.isBlocked { words.append("blocked") }
    if setting.isAlwaysAllowed { words.append("always allowed") }
    if let category = setting.category {
      words.append(category.rawValue + (setting.isByDefault ? " by default" : ""))
    }
    if let limit = setting.limit {
      let limits = try? DayLimits(limit)
      words.append((limits?.words ?? limit) + (limits?.hasHours == true ? "" : " a day"))
    }
    return words.isEmpty ? "–" : words.joined(separator: ", ")
  }

  private static let csvHeader = [
    "deviceName", "appID", "displayName", "version", "suggestion", "childName", "category", "isByDefault", "isBlocked",
    "isAlwaysAllowed", "limit",
  ]

  /// Returns a row for each application and child.
  static func csv(_ machine: InstalledListing) -> String {
    let rows = machine.apps.flatMap { app -> [[String]] in
      let first = [
        machine.deviceName.text, app.appID.text, app.displayName, app.version, app.suggestion?.rawValue ?? "",
      ]
      guard !app.settings.isEmpty else { return [first + Array(repeating: "", count: 6)] }
      return app.settings.map { setting in
        first + [
          setting.childName.text, setting.category?.rawValue ?? "", String(setting.isByDefault),
          String(setting.isBlocked), String(setting.isAlwaysAllowed), setting.limit ?? "",
        ]
      }
    }
    return CSVText.render(csvHeader, rows: rows)
  }
}
