/// The command line of a desktop entry.
public enum ExecLine {
  /// Programs that start others, and therefore do not identify an application.
  private static let launchers: Set<String> = [
    "bash", "dash", "dbus-launch", "dbus-run-session", "dbus-send", "env", "flatpak", "gapplication", "gdbus", "gjs",
    "gtk-launch", "guile", "ksh", "mono", "nice", "node", "nodejs", "php", "pkexec", "sh", "snap", "su", "sudo", "wish",
    "xdg-open", "x-terminal-emulator", "zsh",
  ]

  /// The names of interpreters, which a version or a dash may follow, as in `python3.11` and
  /// `wine64-preloader`.
  private static let interpreters: Set<String> = [
    "java", "javaw", "lua", "luajit", "perl", "python", "ruby", "tclsh", "wine", "wineserver",
  ]

  /// Returns the name or path of the program that a command line starts; `nil` if it is a launcher.
  public static func program(_ line: String) -> String? {
    guard let program = started(line).first, !program.isEmpty else { return nil }
    let name = base(program)
    return name.isEmpty || isInterpreter(name) || launchers.contains(name) ? nil : program
  }

  /// Returns whether a name is that of an interpreter up to its first digit or dash, as the agent
  /// compares names.
  private static func isInterpreter(_ name: String) -> Bool {
    interpreters.contains(String(name.prefix { !("0"..."9").contains($0) && $0 != "-" }))
  }

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
