/// The folders in which applications are searched for.
///
/// The folders are those of the XDG Base Directory Specification, and of Flatpak.
public struct ApplicationPlaces: Hashable, Sendable {
  /// The machine's folders in descending priority, such as `/usr/share`.
  public var shares: [String]
  /// The folders of accounts, such as `/home/emma/.local/share`, which never replace the machine's.
  public var homes: [String] = []
  /// The folder of dpkg's files.
  public var dpkg = Self.usualDpkg
  public var programs = Self.usualPrograms
  /// The languages in which names are read, in descending preference.
  public var languages: [String] = []

  private static let usualDpkg = "/var/lib/dpkg"
  /// The folders of programs in every search path.
  ///
  /// A service's search path lacks the folder of Debian's games.
  static let usualPrograms = [
    "/usr/local/bin", "/usr/local/games", "/usr/bin", "/usr/games", "/bin", "/usr/local/sbin", "/usr/sbin", "/sbin",
  ]

  /// Returns the places of this machine, and of the homes of people's accounts.
  ///
  /// XDG_DATA_DIRS and XDG_DATA_HOME replace the usual folders, and LATCHKEY_DPKG_DIR replaces
  /// dpkg's. LC_ALL, LC_MESSAGES and LANG name the language.
  public static func current(environment: [String: String], homes: [String]) -> ApplicationPlaces {
    func folders(_ variable: String) -> [String]? {
      environment[variable].map { $0.split(separator: ":").map(String.init).filter { $0.hasPrefix("/") } }
        .flatMap { $0.isEmpty ? nil : $0 }
    }
    let usual = homes.flatMap { ["\($0)/.local/share", "\($0)/.local/share/flatpak/exports/share"] }
    let locale = ["LC_ALL", "LC_MESSAGES", "LANG"].lazy.compactMap { environment[$0] }.first { !$0.isEmpty }
    return ApplicationPlaces(
      shares: unique(
        folders("XDG_DATA_DIRS") ?? [
          "/usr/local/share", "/usr/share", "/var/lib/flatpak/exports/share", "/var/lib/snapd/desktop",
        ]),
      homes: unique(folders("XDG_DATA_HOME") ?? usual),
      dpkg: environment["LATCHKEY_DPKG_DIR"].flatMap { $0.isEmpty ? nil : $0 } ?? usualDpkg,
      languages: EntryLanguages.names(of: locale ?? ""))
  }

  private static func unique(_ folders: [String]) -> [String] {
    var seen: Set<String> = []
    return folders.prefix(mostFolders).filter { seen.insert($0).inserted }
  }

  /// The most folders of each kind that are searched.
  private static let mostFolders = 256

  /// A mark that changes when something is installed or removed.
  public var mark: [Int64] {
    (shares + homes).map { BoundedFile.changed($0 + "/applications") } + [BoundedFile.changed(dpkg + "/status")]
  }
}
