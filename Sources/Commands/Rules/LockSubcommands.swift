import ArgumentParser
import LatchkeyModel
import LatchkeyRules

/// The `latchkey lock` subcommand.
struct LockSubcommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "lock", abstract: "Lock a child's machines.",
    discussion: """
      While it is locked, nothing is allowed but what is always allowed. Programs that run are asked to end, and have the time \
      to save that `app set --grace` gives them; with --now, they are ended at once, also on a machine that learns it later.

      Programs are closed in the children's accounts where Latchkey is installed as a service, and otherwise in the account \
      that runs it.

      Example: latchkey lock Emma
      Example: latchkey lock Emma --for 1h
      Example: latchkey lock Emma --now
      """)

  @OptionGroup var node: NodeOptions
  @OptionGroup var options: RuleOptions
  @OptionGroup var whose: OnlyChildArgument

  @Option(
    name: .customLong("for"), parsing: .unconditional,
    help: ArgumentHelp("For how long, such as 1h; else until `unlock`.", valueName: "time"),
    transform: Self.minutes)
  var time: Int?

  @Flag(help: "End programs at once, without time to save.")
  var now = false

  mutating func validate() throws {
    // `latchkey lock 30m`, with one child alone.
    if let text = whose.child, UsualMistake.isTime(text) {
      throw ValidationError(
        "The time of a lock follows --for: type `\(TypedWord.command(["latchkey", "lock", "--for", text]))`.")
    }
  }

  func run() async throws {
    let lock = time.map { Lock(until: TerminalEnvironment.current.now() + Int64($0) * 60_000) } ?? .on
    try await RuleIssue.set(
      RuleRequest([ChildRule.lock.change(now ? lock.withoutTimeToSave : lock)]), of: .child(whose.child),
      at: node.open(), options: options)
  }

  /// Returns the minutes of a lock; throws `ValidationError` for none and for more than 31 days.
  @Sendable private static func minutes(_ text: String) throws -> Int {
    guard let minutes = SpanReader.minutes(text), (1...44_640).contains(minutes) else {
      throw ValidationError(
        "“\(DeviceName(sanitising: text))” is no time for a lock, which is for 1 minute to 31 days: type --for 1h, or leave --for out to lock "
          + "until `latchkey unlock`.")
    }
    return minutes
  }
}

/// The `latchkey unlock` subcommand.
struct UnlockSubcommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "unlock", abstract: "Unlock a child's machines.", discussion: "Example: latchkey unlock Emma")

  @OptionGroup var node: NodeOptions
  @OptionGroup var options: RuleOptions
  @OptionGroup var whose: OnlyChildArgument

  @Flag(help: .hidden)
  var now = false

  mutating func validate() throws {
    if now { throw ValidationError("--now is for a lock, which it makes end programs at once: leave it out.") }
  }

  func run() async throws {
    let (interface, environment) = (try await node.open(), TerminalEnvironment.current)
    let rules = try await RuleOwner.child(whose.child).rules(at: interface)
    // Another parent may have locked it, of which this machine has not been told yet.
    if options.format == .text, !rules.lock.holds(at: environment.now()) {
      environment.console.note("\(rules.whom) was not locked, as far as this machine knows.")
    }
    try await RuleIssue.set(
      RuleRequest([ChildRule.lock.change(.off)]), of: .child(whose.child), at: interface, options: options)
  }
}
