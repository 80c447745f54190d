import LatchkeyModel

/// The command line of a desktop entry.
public enum ExecLine {
  /// Programs that start others, and therefore do not identify an application.
  private static let launchers: Set<String> = [
    "bash", "dash", "dbus-launch", "dbus-run-session", "dbus-send", "env", "flatpak", "gapplication", "gdbus", "gjs",
    "gtk-launch", "guile", "ksh", "mono", "nice", "node", "nodejs", "php", "pkexec", "sh", "snap", "su", "sudo", "wish",
    "xdg-open", "x-terminal-emulator", "zsh",
  ]

  /// Interpreters, whose names a version or a dash may follow: `python3.11`, `wine64-preloader`.
  private static let interpreters: Set<String> = [
    "java", "javaw", "lua", "luajit", "perl", "python", "ruby", "tclsh", "wine", "wineserver",
  ]

  /// Returns the name or path of the program that a command line starts; `nil` if it is a launcher.
  public static func program(_ line: String) -> String? {
    guard let program = started(line).first, !program.isEmpty else { return nil }
    let name = base(program)
    // The agent compares names up to their first digit or dash as well.
    return name.isEmpty || interpreters.contains(stem(name)) || launchers.contains(name) ? nil : program
  }

  /// The letters of options without a value, of the programs that run the file that is their first
  /// other argument; by the name up to its first digit or dash.
  private static let options: [String: String] = [
    "python": "bBdEIOPqsSuvx", "pypy": "bBdEIOPqsSuvx", "perl": "Ww", "ruby": "Ww", "lua": "", "luajit": "",
    "tclsh": "", "wish": "", "php": "", "node": "", "nodejs": "", "guile": "", "gjs": "", "mono": "", "sh": "eux",
    "bash": "eux", "dash": "eux", "ksh": "eux", "zsh": "eux",
  ]

  /// Returns the absolute path of the file that a command line has an interpreter or a shell run;
  /// `nil` for any other command line.
  ///
  /// `folder` is the one in which the program is started, if the entry names it.
  static func script(_ line: String, in folder: String?) -> String? {
    let words = started(line)
    guard let name = words.first.map(base), let letters = options[stem(name)] else { return nil }
    for word in words.dropFirst() {
      if word.hasPrefix("-"), word.count > 1, word.dropFirst().allSatisfy({ letters.contains($0) }) { continue }
      guard !word.isEmpty, !word.hasPrefix("-"), !word.hasPrefix("%"), !word.contains(where: { "*?\\".contains($0) })
      else { return nil }
      if word.hasPrefix("/") { return word }
      guard let folder, folder.hasPrefix("/"), !word.split(separator: "/").contains("..") else { return nil }
      let parts = (folder.split(separator: "/") + word.split(separator: "/")).filter { $0 != "." }
      return "/" + parts.joined(separator: "/")
    }
    return nil
  }

  private static func stem(_ name: String) -> String { String(name.prefix { !("0"..."9").contains($0) && $0 != "-" }) }

  /// Returns the words of a command line without the environment variables that it sets.
  static func started(_ line: String) -> [String] {
    var words = words(line)[...]
    if words.first.map(base) == "env" {
      words.removeFirst()
      while let word = words.first, word.contains("=") || word.hasPrefix("-") { words.removeFirst() }
    }
    return Array(words)
  }

  static func base(_ path: String) -> String { path.split(separator: "/").last.map(String.init) ?? "" }

  private static let mostWords = 64

  /// Returns the words of a command line.
  ///
  /// Quotation marks join words, and a backslash inside them escapes a character.
  static func words(_ line: String) -> [String] {
    var words: [String] = []
    var word = String.UnicodeScalarView()
    var (isQuoted, isEscaped, isWord) = (false, false, false)
    for scalar in line.unicodeScalars {
      if isEscaped {
        word.append(scalar)
        isEscaped = false
      } else if isQuoted, scalar == "\\" {
        isEscaped = true
      } else if scalar == "\"" {
        isQuoted.toggle()
        isWord = true
      } else if !isQuoted, scalar == " " || scalar == "\t" || scalar == "\n" {
        if isWord { words.append(String(word)) }
        guard words.count < mostWords else { return words }
        (word, isWord) = (String.UnicodeScalarView(), false)
      } else {
        word.append(scalar)
        isWord = true
      }
    }
    return isWord ? words + [String(word)] : words
  }
}

/// A command line that starts an application through another program: a store's client, a browser,
/// a Java virtual machine, or `snap` (Protocol/10-household.md §5).
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
      default: words.dropFirst().lazy.compactMap { link($0, name: name) ?? webApplication($0) }.first
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

/// The programs that a script names.
///
/// A script may replace itself with one of them before the agent has seen the script. Spec:
/// Protocol/10-household.md §5.
enum ScriptPrograms {
  /// The largest size of a script that is read, in bytes, and the most programs.
  private static let (mostBytes, most) = (65_536, 8)

  /// Returns the programs that a script names by an absolute path or by one relative to its own
  /// folder, without those in the shared folders.
  static func named(in script: String, besides folders: Set<String>) -> [String] {
    guard let bytes = BoundedFile.bytes(script, most: mostBytes), let end = script.lastIndex(of: "/") else { return [] }
    let folder = String(script[..<end])
    var found: [String] = []
    // A word consists of characters without a meaning for shells. Of `"$(dirname "$0")/data/game"`,
    // it is the part after the parenthesis.
    for word in bytes.split(whereSeparator: { !isOfPath($0) }) where word.contains(0x2F) {
      let word = String(decoding: word, as: UTF8.self)
      let places = word.hasPrefix("/") ? [word, folder + word] : [folder + "/" + word]
      for path in places where found.count < most && !found.contains(path) && path != script {
        guard !word.split(separator: "/").contains(".."), let last = path.lastIndex(of: "/"),
          !folders.contains(String(path[..<last])), BoundedFile.isProgram(path)
        else { continue }
        found.append(path)
      }
    }
    return found
  }

  private static func isOfPath(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2B, 0x2D, 0x2E, 0x2F, 0x5F: true
    default: false
    }
  }
}
