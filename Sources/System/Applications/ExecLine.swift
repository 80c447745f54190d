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

  /// The letters of options without a value, of the programs that run the file that is their first
  /// other argument; by the name up to its first digit or dash.
  private static let options: [String: String] = [
    "python": "bBdEIOPqsSuvx", "pypy": "bBdEIOPqsSuvx", "perl": "Ww", "ruby": "Ww", "lua": "", "luajit": "",
    "tclsh": "", "wish": "", "php": "", "node": "", "nodejs": "", "guile": "", "gjs": "", "mono": "", "sh": "eux",
    "bash": "eux",
    "dash": "eux", "ksh": "eux", "zsh": "eux",
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

  /// Returns whether a name is that of an interpreter up to its first digit or dash, as the agent
  /// compares names.
  private static func isInterpreter(_ name: String) -> Bool {
    interpreters.contains(stem(name))
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
