/// The files that arguments name without being their paths.
///
/// They count only so that a rule closes what they are, and spare nothing.
///
/// Spec: Protocol/13-agent.md §8.
extension ScriptInterpreters {
  /// The options of Python that take no value, and those that take one.
  private static let (pythonLetters, pythonValues) = ("bBdEhiIOPqRsStuvVx", "WX")
  /// The most files that are looked for inside of arguments.
  private static let mostInside = 64

  /// Returns the files that arguments name by a part of themselves, as they name them: the value of
  /// an option that is joined with it, the parts of a list, and the module that Python runs.
  ///
  /// - Parameters:
  ///   - arguments: The arguments after the first.
  ///   - name: The name of the executable.
  /// - Returns: Paths, most of them of no file.
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

  /// Returns the value that is joined with an option, after one letter only if it looks like a
  /// path; the argument itself if it is no option.
  private static func value(in argument: String) -> String {
    guard argument.hasPrefix("-") else { return argument }
    if let sign = argument.firstIndex(of: "=") { return String(argument[argument.index(after: sign)...]) }
    let rest = argument.dropFirst(2)
    return !argument.hasPrefix("--") && rest.contains { "./".contains($0) } ? String(rest) : ""
  }

  /// Returns the names of the module that Python runs, and of those that this one may run; empty
  /// for none.
  ///
  /// A module such as `cProfile` or `runpy` runs another one that its arguments name.
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
