import ArgumentParser
import Foundation
import LatchkeyModel

/// The `latchkey lock` subcommand.
struct LockSubcommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "lock", abstract: "Lock a child's machines.",
    discussion: """
      While it is locked, nothing is allowed but what is always allowed.

      Programs are closed in the children's accounts where Latchkey is installed as a service, and otherwise in the account \
      that runs it.

      Example: latchkey lock Emma
      Example: latchkey lock Emma --for 1h
      """)

  @OptionGroup var node: NodeOptions
  @OptionGroup var options: RuleOptions

  @Argument(
    help: ArgumentHelp("The child; may be left out if there is only one.", valueName: "child"),
    completion: CompletionNames.children)
  var child: String?

  @Option(
    name: .customLong("for"), help: ArgumentHelp("For how long, such as 1h; else until `unlock`.", valueName: "time"),
    transform: LimitTime.lock)
  var time: Int?

  func run() async throws {
    let value = time.map { minutes in
      let end = TerminalEnvironment.current.now() + Int64(minutes) * 60_000
      return "until " + Self.text(minute: (end + 59_999) / 60_000)
    }
    try await RuleIssue.set(
      RuleRequest([.init("lock", value ?? "on")]), of: .child(child), at: node.open(), options: options)
  }

  /// Returns a minute since 1970 as the lock's rule writes it, such as `2026-11-22T18:30Z`.
  static func text(minute: Int64) -> String {
    let style = Date.ISO8601FormatStyle(timeZone: .gmt).year().month().day().dateSeparator(.dash)
    let day = Date(timeIntervalSince1970: Double(minute * 60)).formatted(style)
    let (hour, rest) = (minute % 1_440).quotientAndRemainder(dividingBy: 60)
    return "\(day)T\(hour < 10 ? "0" : "")\(hour):\(rest < 10 ? "0" : "")\(rest)Z"
  }
}

/// The `latchkey unlock` subcommand.
struct UnlockSubcommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "unlock", abstract: "Unlock a child's machines.", discussion: "Example: latchkey unlock Emma")

  @OptionGroup var node: NodeOptions
  @OptionGroup var options: RuleOptions

  @Argument(
    help: ArgumentHelp("The child; may be left out if there is only one.", valueName: "child"),
    completion: CompletionNames.children)
  var child: String?

  func run() async throws {
    try await RuleIssue.set(RuleRequest([.init("lock", "off")]), of: .child(child), at: node.open(), options: options)
  }
}
