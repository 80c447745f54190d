import ArgumentParser

/// How a command that asks something of a child's machine is given: for how long it may wait there, and whether we wait too.
struct IssueOptions: ParsableArguments {
  @Option(
    defaultAsFlag: 60, parsing: .next,
    help: ArgumentHelp(
      "Wait until the other machine has done it, at most this long (60 s when no number follows).",
      valueName: "seconds"))
  var wait: Int?

  @Option(
    help: ArgumentHelp(
      """
      How long it may wait for the machine before it expires, such as 30s, 2h, 7d or never. When not given, messages and \
      requests for a report expire after a day, settings never.
      """, valueName: "span"), transform: Lifetime.read)
  var expires: Lifetime?

  mutating func validate() throws {
    if let wait, !(1...86_400).contains(wait) {
      throw ValidationError("The time to wait must be 1 to 86,400 seconds.")
    }
  }
}
