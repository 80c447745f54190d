/// The command line of a desktop entry.
public enum ExecLine {
  /// Programs that start others, and therefore do not identify an application.
  private static let launchers: Set<String> = [
    "bash", "dash", "dbus-launch", "dbus-run-session", "dbus-send", "env", "flatpak", "gapplication", "gdbus", "gjs",
    "gtk-launch", "guile", "java", "ksh", "lua", "mono", "nice", "node", "nodejs", "perl", "php", "pkexec", "ruby",
    "sh",
    "snap", "su", "sudo", "wish", "xdg-open", "x-terminal-emulator", "zsh",
  ]

  /// Returns the name or path of the program that a command line starts; `nil` if it is a launcher.
  public static func program(_ line: String) -> String? {
    guard let program = started(line).first, !program.isEmpty else { return nil }
    let name = base(program)
    let isInterpreter = ["python", "wine", "tclsh", "java", "lua", "ruby", "perl"].contains { name.hasPrefix($0) }
    return name.isEmpty || isInterpreter || launchers.contains(name) ? nil : program
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
