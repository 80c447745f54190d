/// The programs that run what a file or an argument tells them, so that their executable says nothing of what they are.
///
/// Shells are none of them: what a shell runs is a program of its own.
///
/// Spec: Protocol/13-agent.md §8.
public enum ScriptInterpreters {
  /// What stands for a script while an interpreter shows no arguments, as it does in the middle of an exec.
  public static let unsettled = "/usr/bin/"

  /// The beginnings of the names of their executables, each followed by nothing or by a version.
  private static let names = [
    "python", "pypy", "perl", "ruby", "node", "nodejs", "java", "javaw", "lua", "luajit", "php", "tclsh", "wish",
    "mono",
    "mono-sgen", "dotnet", "gjs", "gjs-console", "guile", "electron", "qml", "qmlscene", "busybox", "sbcl", "swipl",
    "racket",
    "Rscript", "R", "octave", "octave-cli", "beam.smp", "erl", "gdb", "gst-launch", "ffplay", "qemu-system", "php-cgi",
  ]

  /// The folders of scripts that come with the system, and those among them that hold what a person starts.
  private static let system = [
    "/usr/bin/", "/usr/sbin/", "/bin/", "/sbin/", "/usr/libexec/", "/usr/lib/", "/lib/", "/usr/share/", "/etc/",
  ]
  private static let others = ["/usr/lib/python", "/usr/share/doc/", "/usr/share/games/"]

  /// Returns whether an executable with a name is one of them.
  public static func contains(_ name: some StringProtocol) -> Bool {
    names.contains { known in
      name.hasPrefix(known) && (name.dropFirst(known.count).first.map { $0.isNumber || $0 == "-" } ?? true)
    } || name.hasPrefix("wine")
  }

  /// Returns the path of the file that an interpreter runs, by its arguments without the first; `nil` if they name none from the root on,
  /// or if what comes before may be more than an option.
  public static func script(in arguments: some Sequence<some StringProtocol>, of name: some StringProtocol) -> String? {
    for argument in arguments {
      if argument.hasPrefix("/") { return String(argument) }
      guard isPlainOption(argument, of: name) else { return nil }
    }
    return nil
  }

  /// Returns whether an argument is an option that takes no other one as its value.
  private static func isPlainOption(_ argument: some StringProtocol, of name: some StringProtocol) -> Bool {
    if name.hasPrefix("java") { return argument == "-jar" || argument.hasPrefix("-X") || argument.hasPrefix("-D") }
    if name.hasPrefix("gjs") { return argument == "-m" || argument == "--module" }
    let letters =
      name.hasPrefix("python") ? "bBdEIOPqsSuvx" : name.hasPrefix("perl") || name.hasPrefix("ruby") ? "Ww" : ""
    return argument.hasPrefix("-") && argument.count > 1 && argument.dropFirst().allSatisfy { letters.contains($0) }
  }

  /// Returns what a shell runs by its arguments without the first: the path of a script, or an empty one for what is no path; `nil` if it
  /// asks a person.
  public static func shellScript(in arguments: some Sequence<some StringProtocol>) -> String? {
    for argument in arguments {
      if !argument.hasPrefix("-") && !argument.hasPrefix("+") { return argument.hasPrefix("/") ? String(argument) : "" }
      if !argument.hasPrefix("--"), argument.contains("c") { return "" }
    }
    return nil
  }

  /// Returns whether a script is a part of the system, which nobody but root can change.
  static func isOfSystem(_ path: String) -> Bool {
    !path.contains("/../") && system.contains(where: path.hasPrefix) && !others.contains(where: path.hasPrefix)
  }
}
