import LatchkeyModel

/// A command line that starts an application through another program: a store's client, a browser,
/// a Java virtual machine, or `snap`.
///
/// Spec: Protocol/10-household.md §5.
enum LaunchLine {
  /// Returns the matcher of an application that a command line starts through another program;
  /// `nil` if it starts it directly.
  ///
  /// `name` is the application's name, which Lutris shows for the program that it runs.
  static func matcher(_ line: String, name: String) -> AppMatcher? {
    let words = ExecLine.started(line)
    guard let program = words.first else { return nil }
    if let snap = snap(program) { return AppMatcher(kind: .snap, value: snap) }
    let pattern: String? =
      switch ExecLine.base(program) {
      case "java", "javaw": java(words.dropFirst())
      case "firefoxpwa": words.last { isPlain($0) && $0.utf8.count == 26 }.map { "*FFPWA-\($0)*" }
      default:
        words.dropFirst().lazy.compactMap { link($0, name: name) ?? webApplication($0) }.first
      }
    return pattern.map { AppMatcher(kind: .argument, value: $0) }
  }

  /// Returns the snap of a program in the folder of snaps' programs, such as `/snap/bin/NAME` or
  /// `/snap/bin/NAME.PROGRAM`.
  private static func snap(_ program: String) -> String? {
    let folders = ["/snap/bin/", "/var/lib/snapd/snap/bin/"]
    guard let folder = folders.first(where: program.hasPrefix) else { return nil }
    let snap = program.dropFirst(folder.count).prefix { $0 != "." }
    return snap.isEmpty || snap.contains("/") ? nil : String(snap)
  }

  /// Returns the pattern of the arguments that a store's client shows after it was given a link
  /// that starts an application.
  private static func link(_ word: String, name: String) -> String? {
    let parts = word.split(maxSplits: 1) { $0 == ":" }
    guard parts.count == 2 else { return nil }
    let path = parts[1].split { $0 == "/" || $0 == "?" || $0 == "&" }.map(String.init)
    switch (String(parts[0]), path.first ?? "") {
    case ("steam", "rungameid"), ("steam", "run"):
      // The upper half contains the number of a game that is not Steam's own.
      guard path.count > 1, let number = UInt64(path[1]) else { return nil }
      return "*SteamLaunch AppId=\(number > UInt64(UInt32.max) ? number >> 32 : number) *"
    case ("lutris", "rungame"), ("lutris", "rungameid"): return "*lutris-wrapper*\(literal(name))*"
    case ("heroic", "launch"):
      let named = path.first { $0.hasPrefix("appName=") }?.dropFirst("appName=".count)
      guard let game = named.map(String.init) ?? path.dropFirst().last, !game.isEmpty else { return nil }
      return "*launch *\(literal(game.replacing(/%[0-9A-Fa-f]{2}/, with: "?")))*"
    default: return nil
    }
  }

  private static func webApplication(_ word: String) -> String? {
    guard word.hasPrefix("--app-id="), isPlain(word.dropFirst("--app-id=".count)) else { return nil }
    return "*\(word)*"
  }

  /// Returns the pattern of the archive or class that a Java virtual machine runs.
  private static func java(_ words: ArraySlice<String>) -> String? {
    /// The options whose value is the next word.
    let withValue: Set<String> = [
      "-cp", "-classpath", "--class-path", "-p", "--module-path", "--add-modules", "--add-opens", "--add-exports",
      "--add-reads", "--upgrade-module-path", "--limit-modules",
    ]
    var rest = words
    while let word = rest.popFirst() {
      if word == "-jar" || word == "-m" || word == "--module" { return rest.first.map { "java*\(literal($0))*" } }
      if withValue.contains(word) {
        _ = rest.popFirst()
      } else if !word.hasPrefix("-"), !word.hasPrefix("@") {
        return word.hasPrefix("%") ? nil : "java*\(literal(word))*"
      }
    }
    return nil
  }

  private static func isPlain(_ text: some StringProtocol) -> Bool {
    String(text).wholeMatch(of: /[0-9A-Za-z_-]+/) != nil
  }

  /// Returns a text for use in a pattern, in which a `?` stands for a star.
  private static func literal(_ text: String) -> String { text.replacing("*", with: "?") }
}
