import ArgumentParser
import LatchkeyModel
import LatchkeyNode
import LatchkeyRules

extension ParsableArguments {
  /// The console of the command.
  var console: any Console { TerminalEnvironment.current.console }
}

/// The option for the node, which every subcommand has.
struct NodeOptions: ParsableArguments {
  @Option(help: .value("folder", "The folder with the node's state."), completion: .directory) var stateDir: String?

  /// The folder in full, for what creates or runs a node.
  var stateFolder: String {
    StateFolder.resolve(explicit: stateDir, environment: TerminalEnvironment.current.variables).path
  }

  /// The folder in full of the node to talk to, which may be the system's.
  var nodeFolder: String { Self.nodeFolder(named: stateDir) }

  /// Returns the state folder of the node that a command talks to: the named one, else
  /// `LATCHKEY_STATE_DIR`, else that of the system's node if it has a socket, else the XDG state
  /// folder.
  ///
  /// It need not exist.
  static func nodeFolder(named stateDir: String?) -> String {
    let variables = TerminalEnvironment.current.variables
    let isNamed = stateDir?.isEmpty == false || variables["LATCHKEY_STATE_DIR"]?.isEmpty == false
    return !isNamed && SystemNode.isThere
      ? SystemNode.stateFolder : StateFolder.resolve(explicit: stateDir, environment: variables).path
  }

  func open() async throws -> any NodeInterface { try await TerminalEnvironment.current.openNode(nodeFolder) }

  mutating func validate() throws {
    if stateDir?.isEmpty == true { throw ValidationError("The folder's name is empty: give one after --state-dir.") }
  }
}

struct ListingOptions: ParsableArguments {
  @OptionGroup var node: NodeOptions

  @Option(help: .value("table|json", "How to write it.")) var format: ListingFormat = .table
}

/// How a command is given to a child's machine, and how it is answered here.
struct IssueOptions: ParsableArguments {
  @Option(wait: "Wait until the other machine has done it, at most this long.") var wait: WaitingTime?

  @Option(
    help: ArgumentHelp(
      """
      How long it may wait for the machine before it expires, such as 30s, 2h, 7d or never. When not given, messages and \
      requests for a report expire after a day, settings never.
      """, valueName: "span"), transform: Lifetime.read)
  var expires: Lifetime?

  @Flag(help: "Write the command's ID first.") var verbose = false

  @Option(help: .value("text|json", "Write the command as JSON when it is given, and at its end."))
  var format: AnswerFormat = .text
}

/// The option to skip the question before a removal.
struct ConfirmationOptions: ParsableArguments {
  @Flag(help: "Do it without asking.") var yes = false

  /// Asks for confirmation at a terminal; throws `TerminalFailure` unless the answer is yes.
  func confirm(_ question: String) async throws(TerminalFailure) {
    guard !yes, console.inputIsTerminal, console.talkIsTerminal else { return }
    console.prompt(WrappedText.words(question + " [y/N] ", columns: console.size.columns))
    let answer = await console.readLine()
    // Without an answer, the line of the question has not ended.
    if answer == nil { console.prompt("\n") }
    guard PairingConsent.isYes(answer) else {
      throw TerminalFailure(.tryAgain, "Nothing was changed: answer y, or give --yes, to go on.")
    }
  }
}

extension ArgumentHelp {
  /// Creates the help of what takes a value, with the name of the value.
  static func value(_ name: String, _ abstract: String) -> ArgumentHelp { ArgumentHelp(abstract, valueName: name) }
}

extension Option where Value == String? {
  init(child help: String) {
    self.init(help: .value("child", help), completion: CompletionNames.children)
  }

  /// Creates the option `--on` for a paired machine.
  init(on help: String) {
    self.init(
      name: .customLong("on"), help: .value("machine", help), completion: CompletionNames.devices)
  }
}

extension Option where Value == String {
  /// Creates the option `--on` for a paired machine, which has to be given.
  init(on help: String) {
    self.init(
      name: .customLong("on"), help: .value("machine", help), completion: CompletionNames.devices)
  }
}

extension Option where Value == WaitingTime? {
  /// Creates an option that may stand without a time.
  init(wait help: String) {
    self.init(defaultAsFlag: .usual, parsing: .next, help: .value("time", help))
  }
}

/// A machine's address on the command line: `host:port`, an IPv6 address in brackets.
extension SocketEndpoint: ExpressibleByArgument { public init?(argument: String) { self.init(argument) } }

/// An argument that is one of a few words.
///
/// It tells the parser these words in the plain way. The parser's own way, for any kind of value,
/// makes each start of a command slower, since the parser asks for them before it reads arguments.
protocol WordArgument: ExpressibleByArgument, CaseIterable, RawRepresentable<String> {}

extension WordArgument {
  public static var allValueStrings: [String] { allCases.map { $0.rawValue } }
  public static var allValueDescriptions: [String: String] { [:] }
  public var defaultValueDescription: String { rawValue }
}

enum ListingFormat: String, WordArgument, Sendable {
  case table, json
}

enum UsageFormat: String, WordArgument, Sendable {
  case table, json, csv
}

enum AnswerFormat: String, WordArgument, Sendable {
  case text, json
}

enum BackgroundArgument: String, WordArgument, Sendable {
  case light, dark
}

// These are the words of the household, and the command line takes them as they are.
extension AppCategory: ExpressibleByArgument {
  /// Creates a category from its word; people also write “rewards”.
  public init?(argument: String) {
    let word = argument.lowercased()
    self.init(rawValue: word == "rewards" ? "reward" : word)
  }
}
extension ClosingStep: WordArgument {}
extension DeviceRole: WordArgument {}
extension Launches: WordArgument {}
extension LogFormat: WordArgument {}

/// The longest that a subcommand waits: `60`, `90s`, `5min`; 1 second to 1 day.
struct WaitingTime: Hashable, Sendable, ExpressibleByArgument, CustomStringConvertible {
  let seconds: Int

  static let usual = WaitingTime(seconds: 60)

  init(seconds: Int) { self.seconds = seconds }

  init?(argument: String) {
    guard let span = SpanReader.milliseconds(argument, plain: 1_000), (1_000...86_400_000).contains(span) else {
      return nil
    }
    seconds = Int(span / 1_000)
  }

  var description: String { SpanText.of(Int64(seconds) * 1_000) }
}

/// The time after which a command expires: `90s`, `15min`, `2h`, `7d`, or `never`.
struct Lifetime: Hashable, Sendable {
  /// 0 for ever.
  let milliseconds: Int64

  @Sendable static func read(_ text: String) throws -> Lifetime {
    if text.lowercased() == "never" { return Lifetime(milliseconds: 0) }
    guard let span = SpanReader.milliseconds(text), (1_000...Limits.longestLifetimeMilliseconds).contains(span) else {
      throw ValidationError("A command may wait from 1s to 366d, such as 90s, 15min, 2h or 7d, or never.")
    }
    return Lifetime(milliseconds: span)
  }
}

/// Names of network interfaces as one argument, separated by commas.
struct InterfaceNames: Hashable, Sendable, ExpressibleByArgument {
  let names: [String]

  /// The lengths that the kernel accepts.
  private static let nameBytes = 1...15

  init?(argument: String) {
    names = argument.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
    let isRight = names.allSatisfy {
      Self.nameBytes.contains($0.utf8.count) && !$0.contains("/") && !$0.contains(where: \.isWhitespace)
    }
    guard isRight else { return nil }
  }
}
