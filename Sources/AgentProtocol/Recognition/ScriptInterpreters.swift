/// The interpreters: programs that run a script or a text that an argument names.
///
/// The executable alone does not show which program a person uses. Shells are not included, because
/// each program that a shell starts is a process of its own. Spec: Protocol/13-agent.md §8.
public enum ScriptInterpreters {
  /// A stand-in for the script's path while an interpreter has no arguments, as during an exec.
  public static let unsettled = "/usr/bin/"
  /// A stand-in for the script's path in a process with its own mounts, where paths prove nothing.
  public static let elsewhere = "(elsewhere)"

  /// The names of their executables, up to the first digit or dash.
  static let names: Set<String> = [
    "python", "pypy", "perl", "ruby", "node", "nodejs", "java", "javaw", "lua", "luajit", "php", "tclsh", "wish",
    "mono", "dotnet", "gjs", "guile", "electron", "qml", "qmlscene", "busybox", "sbcl", "swipl", "racket", "Rscript",
    "R", "octave", "beam.smp", "erl", "gdb", "gst", "ffplay", "qemu", "wine", "wineserver", "winedevice.exe", "jshell",
    "jrunscript", "expect", "gforth", "ocaml", "ocamlrun", "deno", "bun", "qjs", "julia", "clisp", "ecl", "runghc",
    "raku", "escript", "elixir", "iex", "irb", "ipython", "pwsh", "scala", "groovy", "love", "scummvm", "dosbox",
    "retroarch", "mame",
  ]

  /// The folders of the system's scripts.
  private static let system = [
    "/usr/bin/", "/usr/sbin/", "/bin/", "/sbin/", "/usr/libexec/", "/usr/lib/", "/lib/", "/usr/share/", "/etc/",
  ]
  /// The folders below those whose scripts are a person's, not the system's.
  private static let others = ["/usr/lib/python", "/usr/share/doc/", "/usr/share/games/"]

  public static func contains(_ name: some StringProtocol) -> Bool { names.contains(kind(of: name)) }

  /// Returns whether an executable's name is that of an interpreter or a shell.
  ///
  /// The arguments of these show what they run.
  public static func tellsScript(_ name: some StringProtocol) -> Bool { contains(name) || NeededPrograms.isShell(name) }

  /// Returns the path of the file that an interpreter runs, from its arguments after the first.
  ///
  /// Returns `nil` if there is no absolute path, or if an argument before it may not be an option.
  public static func script(in arguments: some Sequence<some StringProtocol>, of name: some StringProtocol) -> String? {
    for argument in arguments {
      if argument.hasPrefix("/") { return String(argument) }
      guard isPlainOption(argument, of: name) else { return nil }
    }
    return nil
  }

  private static func isPlainOption(_ argument: some StringProtocol, of name: some StringProtocol) -> Bool {
    if name.hasPrefix("java") { return argument == "-jar" || argument.hasPrefix("-X") || argument.hasPrefix("-D") }
    if name.hasPrefix("gjs") { return argument == "-m" || argument == "--module" }
    let letters =
      name.hasPrefix("python") ? "bBdEIOPqsSuvx" : name.hasPrefix("perl") || name.hasPrefix("ruby") ? "Ww" : ""
    return argument.hasPrefix("-") && argument.count > 1 && argument.dropFirst().allSatisfy { letters.contains($0) }
  }

  /// Returns the absolute path of the script that a shell runs, from its arguments after the first.
  ///
  /// Returns an empty text if the shell runs a relative path or a text (`-c`), and `nil` if it is
  /// interactive.
  public static func shellScript(in arguments: some Sequence<some StringProtocol>) -> String? {
    for argument in arguments {
      if !argument.hasPrefix("-") && !argument.hasPrefix("+") { return argument.hasPrefix("/") ? String(argument) : "" }
      if !argument.hasPrefix("--"), argument.contains("c") { return "" }
    }
    return nil
  }

  /// Returns the file that an interpreter or a shell runs, from its arguments after the first, as
  /// they name it.
  ///
  /// Returns `nil` if there is no file, or if an argument before it may not be an option.
  public static func file(in arguments: [String], of name: some StringProtocol) -> String? {
    if NeededPrograms.isShell(name) {
      guard shellScript(in: arguments) != nil else { return nil }
      return arguments.first { !$0.hasPrefix("-") && !$0.hasPrefix("+") || !$0.hasPrefix("--") && $0.contains("c") }
        .flatMap { $0.hasPrefix("-") || $0.hasPrefix("+") ? nil : $0 }
    }
    for argument in arguments where argument.isEmpty || !isPlainOption(argument, of: name) {
      return argument.isEmpty || argument.hasPrefix("-") ? nil : argument
    }
    return nil
  }

  /// Returns whether a file has the same last part of its path as an argument that names a file by
  /// a path that is not resolved, such as a relative one.
  public static func isNamed(_ path: String, in arguments: [String]) -> Bool {
    guard path.hasPrefix("/"), !path.hasPrefix("/dev/"), let name = path.split(separator: "/").last else {
      return false
    }
    return arguments.contains { isUnresolved($0) && $0.split(separator: "/").last == name }
  }

  /// Returns whether only root can put a script at a path.
  static func isInstalled(_ path: String) -> Bool {
    !path.contains("/../") && path != unsettled
      && (system + ["/usr/local/", "/usr/games/", "/opt/"]).contains(where: path.hasPrefix)
  }

  /// Returns whether a script belongs to the system, so that only root can change it.
  public static func isOfSystem(_ path: String) -> Bool {
    !path.contains("/../") && system.contains(where: path.hasPrefix) && !others.contains(where: path.hasPrefix)
  }
}

/// The dynamic loader, which runs the program that its arguments name.
///
/// The kernel then shows the loader as the executable. The program is one of its arguments. Spec:
/// Protocol/13-agent.md §8.
extension ScriptInterpreters {
  /// The options of a loader, of glibc or musl, that take the next argument as their value.
  static let loaderOptions: Set<String> = [
    "--argv0", "--audit", "--glibc-hwcaps-mask", "--glibc-hwcaps-prepend", "--inhibit-rpath", "--library-path",
    "--preload",
  ]
  /// The options of a loader that take no value.
  static let loaderSwitches: Set<String> = ["--inhibit-cache", "--list", "--verify"]

  /// Returns whether an executable with this name is a dynamic loader.
  ///
  /// The loader of musl may be its C library, `libc.so`.
  public static func isLoader(_ name: some StringProtocol) -> Bool {
    ["ld.so", "libc.so"].contains(String(name)) || name.hasPrefix("ld.so.") || name.hasPrefix("ld64.so")
      || name.hasPrefix("ld-linux") || name.hasPrefix("ld-") && name.contains(".so")
  }

  /// Returns the index of the program that a loader runs, in its arguments after the first; `nil`
  /// if they name no program.
  public static func placeOfLoaded(in arguments: [String]) -> Int? {
    var place = 0
    while place < arguments.count {
      let argument = arguments[place]
      guard argument.hasPrefix("--") else { return place }
      if argument == "--" { return place + 1 < arguments.count ? place + 1 : nil }
      if loaderOptions.contains(argument) {
        place += 2
      } else if loaderSwitches.contains(argument) || loaderOptions.contains(where: { argument.hasPrefix($0 + "=") }) {
        place += 1
      } else {
        return nil
      }
    }
    return nil
  }
}
