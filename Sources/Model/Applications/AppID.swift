/// The ID of an application: its desktop or Flatpak ID, or one that a parent chose.
public struct AppID: Hashable, Sendable, Comparable, TextCodable {
  public static let noun = "an application ID"

  public let text: String

  /// Creates an ID from 1 to 255 bytes without spaces or unprintable characters; else `nil`.
  public init?(_ text: String) {
    guard TextRule.appID.fault(in: text) == nil else { return nil }
    self.text = text
  }

  private init(own text: String) { self.text = text }

  /// The ID for the use of all programs that are no known application (11 §5).
  public static let unknownPrograms = AppID(own: "latchkey.unknown")

  /// The ID for all programs that are installed, or run from a terminal, without a rule (11 §5).
  public static let otherPrograms = AppID(own: "latchkey.other")

  /// The ID for the time for which a child uses a machine, whatever runs (11 §8).
  public static let screenTime = AppID(own: "latchkey.screen")

  /// A Boolean value that indicates whether the ID stands for many programs and has no rules.
  public var isOfMany: Bool { self == .unknownPrograms || self == .otherPrograms || self == .screenTime }

  public var description: String { text }

  public static func < (left: AppID, right: AppID) -> Bool { left.text < right.text }

  /// The part of the ID that people read as a name, for an application whose name is not known.
  ///
  /// For `org.supertuxkart.SuperTuxKart`, it is `SuperTuxKart`. The digits that distinguish refused
  /// programs of one name (11 §5) are left out.
  public var readable: String {
    var word = text[...]
    if let dash = word.lastIndex(of: "-") {
      let mark = word[word.index(after: dash)...]
      if mark.utf8.count == 8, mark.allSatisfy(\.isHexDigit), mark.contains(where: \.isNumber), dash > word.startIndex {
        word = word[..<dash]
      }
    }
    let parts = word.split(separator: ".")
    guard parts.count > 2, let last = parts.last(where: { $0.contains(where: \.isLetter) }) else { return String(word) }
    return String(last)
  }
}

/// The names of the IDs that stand for many programs: other programs and unknown programs.
public enum ProgramsName {
  public static func phrase(_ name: String) -> Phrase {
    switch name {
    case "Other programs": Phrase("Other programs")
    case "Unknown programs": Phrase("Unknown programs")
    default: Phrase(verbatim: name)
    }
  }
}

/// The effect of using an application on a child's points.
public enum AppCategory: String, Codable, Sendable, Hashable, CaseIterable {
  /// Use earns points.
  case learning
  /// Use costs points.
  case reward
  /// Use is recorded and has no effect.
  case neutral
}

/// The default categories of well-known applications, by the IDs that they have in Debian 12.
///
/// Spec: Protocol/11-rules.md §2.
public enum DefaultCategory {
  public static let all: [AppID: AppCategory] = {
    var categories: [AppID: AppCategory] = [:]
    for (ids, category) in [(learning, AppCategory.learning), (games, .reward)] {
      for text in ids {
        guard let id = AppID(text) else { preconditionFailure("\(text) is no application's ID") }
        categories[id] = category
      }
    }
    return categories
  }()

  private static let learning = [
    "geogebra", "org.kde.artikulate", "org.kde.blinken", "org.kde.gcompris", "org.kde.kalgebra", "org.kde.kalzium",
    "org.kde.kanagram", "org.kde.kbruch", "org.kde.kgeography", "org.kde.khangman", "org.kde.kig", "org.kde.klettres",
    "org.kde.ktouch", "org.kde.kturtle", "org.kde.kwordquiz", "org.kde.marble", "org.kde.minuet", "org.kde.parley",
    "org.kde.step", "org.stellarium.Stellarium", "pysiogame", "scratch", "tuxmath", "tuxpaint", "tuxtype",
  ]

  private static let games = [
    "0ad", "chromium-bsu", "etr", "frozen-bubble", "hedgewars", "net.minetest.minetest", "net.wz2100.warzone2100",
    "neverball", "openttd", "org.gnome.Mahjongg", "org.gnome.Mines", "org.gnome.Quadrapassel", "org.kde.kpat",
    "org.wesnoth.Wesnoth-1.16", "pingus", "ri-li", "supertux2", "supertuxkart", "teeworlds", "xmoto",
  ]
}
