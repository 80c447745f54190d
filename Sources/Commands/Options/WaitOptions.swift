import ArgumentParser

/// Whether a command that asks something of a child's machine waits until it is done there.
struct WaitOptions: ParsableArguments {
  @Option(
    defaultAsFlag: 60, parsing: .next,
    help: ArgumentHelp(
      "Wait until the other machine has done it, at most this long (60 s when no number follows).",
      valueName: "seconds"))
  var wait: Int?

  mutating func validate() throws {
    if let wait, !(1...86_400).contains(wait) {
      throw ValidationError("The time to wait must be 1 to 86,400 seconds.")
    }
  }
}
