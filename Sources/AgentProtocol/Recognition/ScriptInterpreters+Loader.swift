/// The dynamic loader, which runs the program that its arguments name.
///
/// The kernel shows the loader as the executable then, and the program among its arguments.
///
/// Spec: Protocol/13-agent.md §8.
extension ScriptInterpreters {
  /// The options of a loader that take the next argument as their value: those of glibc, and with
  /// them those of musl.
  static let loaderOptions: Set<String> = [
    "--argv0", "--audit", "--glibc-hwcaps-mask", "--glibc-hwcaps-prepend", "--inhibit-rpath", "--library-path",
    "--preload",
  ]
  /// The options of a loader that take no value.
  static let loaderSwitches: Set<String> = ["--inhibit-cache", "--list", "--verify"]

  /// Returns whether an executable with this name is a dynamic loader.
  ///
  /// That of musl may be its library itself.
  public static func isLoader(_ name: some StringProtocol) -> Bool {
    ["ld.so", "libc.so"].contains(String(name)) || name.hasPrefix("ld.so.") || name.hasPrefix("ld64.so")
      || name.hasPrefix("ld-linux") || name.hasPrefix("ld-") && name.contains(".so")
  }

  /// Returns the number of arguments of a loader, after the first, that stand before the program
  /// that it runs; `nil` if they name none.
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
