/// The scripts that interpreters and shells run for certain.
///
/// An argument that is only possibly the script spares no program. An option before it may take it
/// as a value, or may name another text or module to run. Spec: Protocol/13-agent.md §8.
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

  /// Returns whether an executable, a package or a snap with this name runs whatever it is given.
  ///
  /// If a parent allowed it, every program that it can run would be allowed.
  public static func runsAnything(_ name: some StringProtocol) -> Bool {
    mayShowScript(name) || isLoader(name) || furtherRunners.contains(String(name))
  }

  /// Returns whether a parent can allow a script that such an executable runs, by an argument.
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

  /// Returns the absolute path of a file, without `.` and `..`; `nil` if the text does not
  /// determine it.
  ///
  /// A `..` behind a link leads to another folder than the text says. A path below `/proc` or
  /// `/dev` may lead anywhere. `folder` is the current folder of the process; `nil` if it is not
  /// known.
  public static func certainPlace(of file: String, from folder: String?) -> String? {
    let parts = file.split(separator: "/")
    if file.hasPrefix("/") {
      guard let first = parts.first, first != "proc", first != "dev", !parts.contains("..") else { return nil }
      return place(of: file, from: "/")
    }
    // The kernel appends this text to the path of a deleted folder.
    guard let folder, !folder.hasSuffix(" (deleted)"), !parts.drop(while: { $0 == "." || $0 == ".." }).contains("..")
    else { return nil }
    let place = place(of: file, from: folder)
    return place.flatMap { $0.hasPrefix("/proc/") || $0.hasPrefix("/dev/") ? nil : $0 }
  }

  /// Returns whether the script of an interpreter or a shell may come after these arguments.
  ///
  /// It may if none of them is the script for certain, and if no option gives a text or a module to
  /// run instead.
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

  /// Returns the arguments and the name of the interpreter or shell that `env` becomes.
  ///
  /// Removes the path that the loader of Wine puts before the arguments. Returns any other command
  /// unchanged. `env` runs nothing by itself; the program that it becomes is recognized anew.
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

  /// Returns whether an argument is an option that takes no value and names nothing to run.
  private static func isValueless(_ argument: String, of name: String) -> Bool {
    switch kind(of: name) {
    case "java", "javaw": return argument == "-jar" || ["-Xm", "-Xs", "-D"].contains(where: argument.hasPrefix)
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

/// The files that a part of an argument names, such as the value of an option.
///
/// They can only make a rule close the process. They spare nothing. Spec: Protocol/13-agent.md §8.
extension ScriptInterpreters {
  /// The options of Python that take no value, and those that take one.
  private static let (pythonLetters, pythonValues) = ("bBdEhiIOPqRsStuvVx", "WX")
  private static let mostInside = 64

  /// Returns the paths that parts of the arguments after the first may name.
  ///
  /// The parts are the value that is joined to an option, the parts of a list, and the module that
  /// Python runs. Most of these paths lead to no file.
  public static func filesInside(_ arguments: [String], of name: some StringProtocol) -> [String] {
    var files: [String] = []
    for module in ["python", "pypy"].contains(kind(of: name)) ? modules(in: arguments) : [] {
      let path = module.split(separator: ".").joined(separator: "/")
      files += path.isEmpty ? [] : [path + ".py", path + "/__main__.py"]
    }
    for argument in arguments {
      let value = value(in: argument)
      let parts = value.contains(":") ? value.split(separator: ":").map(String.init) : [value]
      files += parts.filter { !$0.isEmpty && $0 != argument }
    }
    return Array(files.prefix(mostInside))
  }

  /// Returns the value that is joined to an option; the argument itself if it is no option.
  ///
  /// The rest of an option of one letter is a value only if it looks like a path.
  private static func value(in argument: String) -> String {
    guard argument.hasPrefix("-") else { return argument }
    if let sign = argument.firstIndex(of: "=") { return String(argument[argument.index(after: sign)...]) }
    let rest = argument.dropFirst(2)
    return !argument.hasPrefix("--") && rest.contains { "./".contains($0) } ? String(rest) : ""
  }

  /// Returns the name of the module that Python runs, and of each module that it may run in turn.
  ///
  /// A module such as `cProfile` or `runpy` runs another module, which its arguments name.
  private static func modules(in arguments: [String]) -> [String] {
    var rest = arguments[...]
    while let option = rest.popFirst(), option.hasPrefix("-"), !option.hasPrefix("--") {
      let letters = option.dropFirst().drop { pythonLetters.contains($0) }
      guard let letter = letters.first else { continue }
      let value = letters.dropFirst()
      if letter == "m" {
        let further = rest.compactMap { one -> String? in
          let name = one.hasPrefix("-m") ? String(one.dropFirst(2)) : one
          return name.isEmpty || name.hasPrefix("-") || name.contains("/") ? nil : name
        }
        return (value.isEmpty ? [] : [String(value)]) + further
      }
      guard pythonValues.contains(letter) else { return [] }
      if value.isEmpty { _ = rest.popFirst() }
    }
    return []
  }
}
