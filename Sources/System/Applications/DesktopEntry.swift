import LatchkeyModel

/// An application's menu entry, according to the Desktop Entry Specification.
///
/// Only the keys of the group “Desktop Entry” that the scan uses are read.
public struct DesktopEntry: Hashable, Sendable {
  /// The largest size of a file that is read, in bytes.
  public static let mostBytes = 262_144

  /// The name in the most preferred language that the entry has, without unsafe characters.
  public var name: String
  /// The command line that starts it; `nil` if it is started differently.
  public var exec: String?
  /// The folder in which it is started; `nil` if it names none.
  public var folder: String?
  /// The program that must exist for the application to count as installed.
  public var tryExec: String?
  /// The categories, such as `Education` and `Game`.
  public var categories: [String]
  /// The ID of the Flatpak that it belongs to.
  public var flatpak: String?
  /// A Boolean value that indicates whether it was deleted, or appears in no desktop's menu.
  public var isHidden: Bool

  /// Reads an entry; `nil` if the bytes are not an application's entry.
  ///
  /// `languages` are locale names without encoding, such as `de_DE` and `de`, in descending
  /// preference.
  public init?(_ bytes: [UInt8], languages: [String] = []) {
    guard bytes.count <= Self.mostBytes else { return nil }
    let values = Self.values(String(decoding: bytes, as: UTF8.self))
    guard values["Type"] == "Application" else { return nil }
    let names = languages.map { "Name[\($0)]" } + ["Name"]
    let name = names.lazy.compactMap { values[$0] }.map(Self.shown).first { !$0.isEmpty }
    guard let name else { return nil }
    self.name = name
    exec = values["Exec"].map(Self.unescaped)
    folder = values["Path"].map(Self.unescaped).flatMap { $0.isEmpty ? nil : $0 }
    tryExec = values["TryExec"].map(Self.unescaped).flatMap { $0.isEmpty ? nil : $0 }
    categories = Self.list(values["Categories"] ?? "")
    flatpak = values["X-Flatpak"].map(Self.unescaped)
    // An entry may be for some desktops only. It counts if at least one desktop shows it.
    let isShownNowhere = values["OnlyShowIn"].map { Self.list($0).isEmpty } ?? false
    isHidden = Self.isTrue(values["Hidden"]) || Self.isTrue(values["NoDisplay"]) || isShownNowhere
  }

  /// The category that its menu categories suggest; `nil` for none.
  public var suggestion: AppCategory? {
    if categories.contains("Education") { return .learning }
    return categories.contains("Game") ? .reward : nil
  }

  /// Returns the values of the group “Desktop Entry” by key; the first of equal keys counts.
  private static func values(_ text: String) -> [String: String] {
    var values: [String: String] = [:]
    var isInGroup = false
    for line in text.unicodeScalars.split(whereSeparator: { $0 == "\n" || $0 == "\r" }) {
      if line.first == "[" {
        if isInGroup { break }
        isInGroup = String(line) == "[Desktop Entry]"
        continue
      }
      guard isInGroup, line.first != "#", let equals = line.firstIndex(of: "=") else { continue }
      let key = trimmed(line[..<equals])
      guard !key.isEmpty, values[key] == nil, values.count < mostKeys else { continue }
      values[key] = trimmed(line[line.index(after: equals)...])
    }
    return values
  }

  private static let mostKeys = 4_096

  private static func trimmed(_ text: Substring.UnicodeScalarView) -> String {
    var text = text
    while let first = text.first, first == " " || first == "\t" { text.removeFirst() }
    while let last = text.last, last == " " || last == "\t" { text.removeLast() }
    return String(text)
  }

  private static func isTrue(_ value: String?) -> Bool { value == "true" || value == "1" }

  private static func list(_ value: String) -> [String] {
    value.split(separator: ";").map(String.init).filter { $0.contains { $0 != " " } }
  }

  /// Returns a value with its escape sequences replaced.
  private static func unescaped(_ value: String) -> String {
    var text = String.UnicodeScalarView()
    var isEscaped = false
    for scalar in value.unicodeScalars {
      guard isEscaped else {
        if scalar == "\\" { isEscaped = true } else { text.append(scalar) }
        continue
      }
      isEscaped = false
      switch scalar {
      case "s": text.append(" ")
      case "n": text.append("\n")
      case "t": text.append("\t")
      case "r": text.append("\r")
      case "\\": text.append("\\")
      default: text.append(contentsOf: ["\\", scalar])
      }
    }
    if isEscaped { text.append("\\") }
    return String(text)
  }

  private static func shown(_ value: String) -> String {
    trimmed(Substring(TextRule.displayName.cleaned(unescaped(value))).unicodeScalars)
  }
}

/// The languages in which a name is read.
public enum EntryLanguages {
  /// Returns the names to search for a locale such as `de_DE.UTF-8@euro`, the best first.
  public static func names(of locale: String) -> [String] {
    let parts = locale.split(separator: "@", maxSplits: 1, omittingEmptySubsequences: false)
    let base = String(parts[0].prefix { $0 != "." })
    let language = String(base.prefix { $0 != "_" })
    guard !language.isEmpty, language != "C", language != "POSIX" else { return [] }
    let modifier = parts.count > 1 && !parts[1].isEmpty ? "@" + parts[1] : nil
    var names: [String] = []
    for name in base == language ? [language] : [base, language] {
      if let modifier { names.append(name + modifier) }
      names.append(name)
    }
    return names
  }
}
