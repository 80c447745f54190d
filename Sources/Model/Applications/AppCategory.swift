/// The effect of using an application on a child's points.
public enum AppCategory: String, Codable, Sendable, Hashable, CaseIterable {
  /// Use earns points.
  case learning
  /// Use costs points.
  case reward
  /// Use is recorded and has no effect.
  case neutral
}

/// The categories of well-known applications, by the IDs of Debian 12, until a parent sets one.
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
