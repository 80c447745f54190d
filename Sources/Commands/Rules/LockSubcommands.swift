import ArgumentParser
import LatchkeyModel
import LatchkeyRules

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
      Example: latchkey lock Emma --until 20:00
      Example: latchkey lock Emma --now
      """)

  @OptionGroup var node: NodeOptions
  @OptionGroup var options: RuleOptions
  @OptionGroup var whose: OnlyChildArgument

  @Option(
    name: .customLong("for"), parsing: .unconditional,
    help: .value("time", "For how long, such as 1h; else until `unlock`."), transform: Self.minutes)
  var time: Int?

  @Option(
    help: .value("time", "Until when on the family's clock, such as 20:00 or 2026-11-21T18:30; else until `unlock`."),
    transform: TypedMoment.read)
  var until: TypedMoment?

  @Flag(help: "End programs at once, without time to save.") var now = false
  @Flag(help: .hidden) var family = false

  mutating func validate() throws {
    // `latchkey lock 30m`, with one child alone.
    if let sentence = LockMistake.sentence(insteadOfChild: whose.child) { throw ValidationError(sentence) }
    if time != nil, until != nil { throw ValidationError("A lock has one end: give --for or --until, not both.") }
  }

  func run() async throws {
    let (interface, environment) = (try await node.open(), TerminalEnvironment.current)
    if family || EachChild.isMeant(whose.child) {
      throw try await EachChild.failure("A lock is one child's", "lock", at: interface)
    }
    var end = time.map { environment.now() + Int64($0) * 60_000 }
    if let until {
      let instant = until.instant(in: try await FamilyClock(at: interface).zone)
      guard (1...44_640).contains((instant - environment.now()) / 60_000) else {
        let command = TypedWord.command(["latchkey", "lock"] + (whose.child.map { [$0] } ?? []) + ["--for", "1h"])
        throw TerminalFailure(
          .usage,
          "A lock ends 1 minute to 31 days from now: give a later time of today, or a day with a time, such as --until "
            + "2026-11-21T18:30; or type how long it is to be, such as `\(command)`.")
      }
      end = instant
    }
    let lock = end.map { Lock(until: $0) } ?? .on
    try await RuleIssue.set(
      RuleRequest([ChildRule.lock.change(now ? lock.withoutTimeToSave : lock)]), of: .child(whose.child),
      at: interface, options: options)
  }

  /// Returns the minutes of a lock; throws `ValidationError` for none and for more than 31 days.
  @Sendable private static func minutes(_ text: String) throws -> Int {
    guard let minutes = SpanReader.minutes(text), (1...44_640).contains(minutes) else {
      throw ValidationError(
        "“\(DeviceName(sanitising: text))” is no time for a lock, which is for 1 minute to 31 days: type --for 1h, or "
          + "leave --for out to lock until `latchkey unlock`.")
    }
    return minutes
  }
}

struct UnlockSubcommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "unlock", abstract: "Unlock a child's machines.", discussion: "Example: latchkey unlock Emma")

  @OptionGroup var node: NodeOptions
  @OptionGroup var options: RuleOptions
  @OptionGroup var whose: OnlyChildArgument

  @Flag(help: .hidden) var now = false
  @Flag(help: .hidden) var family = false

  mutating func validate() throws {
    if now { throw ValidationError("--now is for a lock, which it makes end programs at once: leave it out.") }
  }

  func run() async throws {
    let (interface, environment) = (try await node.open(), TerminalEnvironment.current)
    if family || EachChild.isMeant(whose.child) {
      throw try await EachChild.failure("A lock is one child's", "unlock", at: interface)
    }
    let rules = try await RuleOwner.child(whose.child).rules(at: interface)
    // This machine may not know yet that another parent has locked it.
    if options.format == .text, !rules.lock.holds(at: environment.now()) {
      environment.console.note("\(rules.whom) was not locked, as far as this machine knows.")
    }
    try await RuleIssue.set(
      RuleRequest([ChildRule.lock.change(.off)]), of: .child(whose.child), at: interface, options: options)
  }
}
