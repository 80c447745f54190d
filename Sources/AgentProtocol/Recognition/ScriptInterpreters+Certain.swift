/// The scripts that interpreters and shells run for certain.
///
/// An argument that only may be a script spares no program: an option before it may take it as a
/// value, or name what is run instead.
///
/// Spec: Protocol/13-agent.md §8.
extension ScriptInterpreters {
  /// The interpreters that run the file that their first argument names, after options that take
  /// no value, and leave the other arguments to that file.
  ///
  /// By the names of their executables, up to the first digit or dash.
  static let running: Set<String> = [
    "python", "pypy", "perl", "ruby", "lua", "luajit", "tclsh", "wish", "php", "node", "nodejs", "guile", "gjs", "mono",
    "java", "javaw", "racket", "ocaml", "ocamlrun", "raku", "qjs", "dotnet", "love", "wine",
  ]

  /// Returns whether an executable with this name shows in its arguments which script it runs, or
  /// becomes a program that does.
  public static func mayShowScript(_ name: some StringProtocol) -> Bool { tellsScript(name) || name == "env" }

  /// Returns whether an executable, a package or a snap with this name runs whatever it is given,
  /// so that it is not one program that may be allowed.
  public static func runsAnything(_ name: some StringProtocol) -> Bool {
    mayShowScript(name) || isLoader(name) || furtherRunners.contains(String(name))
  }

  /// Returns whether a pattern for the script allows what such a program runs.
  public static func showsScript(_ name: some StringProtocol) -> Bool {
    NeededPrograms.isShell(name) || running.contains(kind(of: name)) || name == "env" || isLoader(name)
  }

  /// The names of further programs that run a text or a file that they are given.
  static let furtherRunners: Set<String> = ["awk", "gawk", "mawk", "original-awk", "make", "toybox"]

  /// Returns the file that an interpreter or a shell runs for certain, from its arguments after the
  /// first, as they name it.
  ///
  /// Returns `nil` if it may run anything else.
  public static func certainFile(in arguments: [String], of name: some StringProtocol) -> String? {
    let (arguments, name) = command(arguments, of: String(name))
    guard NeededPrograms.isShell(name) || running.contains(kind(of: name)) else { return nil }
    for argument in arguments where argument.isEmpty || !isValueless(argument, of: name) {
      guard let first = argument.first, !"-+@".contains(first) else { return nil }
      return argument
    }
    return nil
  }

  /// Returns the absolute path of a file that is named in a folder; `nil` if the text alone does
  /// not tell where it is.
  ///
  /// A `..` behind a link leads elsewhere than the text says, and a path below `/proc` or `/dev`
  /// may lead anywhere.
  ///
  /// - Parameters:
  ///   - file: The path, as an argument names it.
  ///   - folder: The folder of the process; `nil` if it is not known.
  /// - Returns: The path without `.` and `..`; `nil` if it is not certain.
  public static func certainPlace(of file: String, from folder: String?) -> String? {
    let parts = file.split(separator: "/")
    if file.hasPrefix("/") {
      guard let first = parts.first, first != "proc", first != "dev", !parts.contains("..") else { return nil }
      return place(of: file, from: "/")
    }
    // Of a folder that is gone, the kernel shows its path with this end.
    guard let folder, !folder.hasSuffix(" (deleted)"),
      !parts.drop(while: { $0 == "." || $0 == ".." }).contains("..")
    else { return nil }
    let place = place(of: file, from: folder)
    return place.flatMap { $0.hasPrefix("/proc/") || $0.hasPrefix("/dev/") ? nil : $0 }
  }

  /// Returns whether a script may follow arguments of an interpreter or a shell: none of them is it
  /// for certain, and neither is one the option that gives a text or a module to run instead.
  public static func isUndecided(_ arguments: [String], of name: some StringProtocol) -> Bool {
    guard certainFile(in: arguments, of: name) == nil else { return false }
    if NeededPrograms.isShell(name) { return shellScript(in: arguments) == nil || file(in: arguments, of: name) != nil }
    let option = arguments.first { $0.isEmpty || !isValueless($0, of: String(name)) }
    return switch kind(of: name) {
    case "python", "pypy": option != "-c" && option != "-m"
    case "perl", "ruby": option?.wholeMatch(of: /-[alnpw]*e/) == nil
    default: true
    }
  }

  /// Returns the name and the arguments of the interpreter or shell that `env` becomes, or to which
  /// the loader of Wine gives its own path first; otherwise what it is given.
  ///
  /// `env` runs nothing by itself, and what it becomes is recognized anew.
  private static func command(_ arguments: [String], of name: String) -> (arguments: [String], name: String) {
    guard let first = arguments.first else { return (arguments, name) }
    if name == "env" {
      var words = [first]
      if first.hasPrefix("-S") {
        let text = first.dropFirst(2)
        guard text.allSatisfy({ $0.isLetter || $0.isNumber || " ./_-".contains($0) }) else { return (arguments, name) }
        words = text.split(separator: " ").map(String.init)
      }
      guard let program = words.first?.split(separator: "/").last, tellsScript(program) else {
        return (arguments, name)
      }
      return (Array(words.dropFirst()) + arguments.dropFirst(), String(program))
    }
    let isLoaderOfWine = kind(of: name) == "wine" && first.split(separator: "/").last.map { kind(of: $0) } == "wine"
    return isLoaderOfWine ? (Array(arguments.dropFirst()), name) : (arguments, name)
  }

  /// Returns whether an argument is an option of an interpreter or a shell that takes no value and
  /// names nothing to run.
  private static func isValueless(_ argument: String, of name: String) -> Bool {
    switch kind(of: name) {
    case "java", "javaw":
      return argument == "-jar" || ["-Xm", "-Xs", "-D"].contains(where: argument.hasPrefix)
    case "gjs": return argument == "-m" || argument == "--module"
    case "python", "pypy": return isLetters(argument, of: "bBdEIOPqsSuvx")
    case "perl", "ruby": return isLetters(argument, of: "Ww")
    case let kind: return kind != "fish" && NeededPrograms.isShell(name) && isLetters(argument, of: "efnuvx")
    }
  }

  private static func isLetters(_ argument: String, of letters: String) -> Bool {
    argument.hasPrefix("-") && argument.count > 1 && argument.dropFirst().allSatisfy { letters.contains($0) }
  }

  /// Returns the name of an executable up to the first digit or dash.
  static func kind(of name: some StringProtocol) -> String {
    String(decoding: name.utf8.prefix { !(0x30...0x39).contains($0) && $0 != 0x2D }, as: UTF8.self)
  }
}
