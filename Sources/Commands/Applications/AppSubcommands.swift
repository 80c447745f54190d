import ArgumentParser
import LatchkeyModel
import LatchkeyNode
import LatchkeyRules

struct AppSubcommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "app", abstract: "Set the rules for an application.",
    discussion: "Example: latchkey app set org.gnome.Chess --child Emma --category reward --points-per-minute 2",
    subcommands: [AppSetSubcommand.self, AppRemoveSubcommand.self])
}

struct AppSetSubcommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "set", abstract: "Set an application's rules; what is left out stays as it is.",
    discussion: """
      A rule is a child's and holds on all machines of the child's, or the family's. It is stored here at once and reaches the \
      machines as soon as they meet.

      Programs are closed in the children's accounts where Latchkey is installed as a service, and otherwise in the account \
      that runs it.

      Example: latchkey app set org.gnome.Chess --child Emma --category reward --points-per-minute 2 --blocked
      Example: latchkey app set org.gnome.Chess --daily-limit 1h30m --unblocked --wait
      Example: latchkey app set org.gnome.Chess --daily-limit "1h within 16:00-20:00"
      Example: latchkey app set org.gnome.Chess --hours "mon-fri 15:00-18:00, sat-sun 9:00-19:00"
      Example: latchkey app set supertuxkart --grace 60s
      Example: latchkey app set supertuxkart --blocked --now
      Example: latchkey app set supertuxkart --reset
      """)

  enum Blocking: String, EnumerableFlag {
    case blocked, unblocked

    static func help(for value: Blocking) -> ArgumentHelp? {
      value == .blocked ? "No use is allowed." : "Use is allowed."
    }

    /// Throws `ValidationError` for `--now` without `--blocked`.
    static func check(_ blocking: Blocking?, now: Bool) throws {
      guard now, blocking != .blocked else { return }
      throw ValidationError("--now ends at once what is blocked: give it with --blocked.")
    }

    func block(now: Bool) -> Block { self == .unblocked ? .no : now ? .now : .yes }
  }

  enum Enabling: String, EnumerableFlag {
    case enabled, disabled

    static func help(for value: Enabling) -> ArgumentHelp? {
      value == .enabled ? "Its rules count." : "Its rules are kept and do not count."
    }
  }

  @OptionGroup var node: NodeOptions
  @OptionGroup var owner: AppOwner
  @OptionGroup var options: RuleOptions

  @Argument(
    help: .value(
      "application",
      "The application's ID or name, or a beginning of them; `latchkey apps scan` lists those that are installed."),
    completion: CompletionNames.apps)
  var app: String

  @Option(help: .value("learning|reward|neutral", "What using it does to points.")) var category: AppCategory?

  @Option(
    parsing: .unconditional, help: .value("points", "Points earned or paid a minute, up to three decimal places."),
    transform: AppRule.rate.argument)
  var pointsPerMinute: Int64?

  @Flag(exclusivity: .exclusive) var blocking: Blocking?
  @Flag(help: "With --blocked: end it at once where it runs, without time to save.") var now = false

  @Flag(
    inversion: .prefixedNo, exclusivity: .exclusive,
    help: "Whether it may be used at any time, also when the child is locked or in bed.")
  var alwaysAllowed: Bool?

  @Flag(exclusivity: .exclusive) var enabling: Enabling?

  @Option(
    parsing: .unconditional,
    help: .value("time|none", "The most use a day, such as 45min, \"sat-sun 2h\", \"1h within 16:00-20:00\" or none."),
    transform: DayLimits.Change.argumentWithHours)
  var dailyLimit: DayLimits.Change?

  @Option(help: .value("times|none", "When it may be used, such as \"mon-fri 15:00-18:00\", or none for always."))
  var hours: String?

  @Option(
    help: .value(
      "close|pause", "What is done when its time is over: it is closed, or frozen until it may be used again."))
  var whenOver: ClosingStep?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      """
      How long it has to save when it is closed, such as 60s; up to 5 minutes, and 5 s by default. It is asked to end at once, and ended when \
      this time is over: a program that obeys at once is gone at once, and one that saves or asks first has the time for it.
      """, valueName: "time|default"),
    transform: { try Setting(text: $0.lowercased() == "default" ? nil : String(AppRule.grace.argument($0))) })
  var grace: Setting?

  @Option(
    help: .value(
      "counted|apart", "Whether the programs that it starts count as it, unless they are recognized otherwise."))
  var launches: Launches?

  @Option(
    help: ArgumentHelp(
      """
      How its programs are recognized, such as "path /usr/games/chess"; the kinds are sha256, package, flatpak, argument, \
      path, name and snap. May be given several times; "none" forgets all.
      """, valueName: "kind value"))
  var matcher: [String] = []

  @Option(help: .value("name", "The name that people read.")) var name: String?
  @Flag(help: "It is an application that is not installed yet, given by its ID.") var new = false

  @Flag(help: "Take away all that is set for it, so that the family's rules or its default category hold again.")
  var reset = false

  mutating func validate() throws {
    try AppChoice.check(app)
    try Blocking.check(blocking, now: now)
    if reset {
      guard changes.isEmpty, !new else {
        throw ValidationError("--reset takes all rules of the application away: give no others with it.")
      }
      return
    }
    guard !changes.isEmpty else {
      throw ValidationError(
        "Nothing is to be set: give at least one of --category, --points-per-minute, --blocked, --unblocked, "
          + "--always-allowed, --daily-limit, --hours, --when-over, --grace, --launches, --enabled, --disabled, --matcher and --name, or --reset."
      )
    }
    if blocking == .blocked, alwaysAllowed == true {
      throw ValidationError("An application is either blocked or always allowed: give one of the two.")
    }
    if let fault = name.flatMap({ TextRule.displayName.fault(in: $0) }) { throw ValidationError(fault) }
  }

  func run() async throws {
    try HoursArgument.check(hours)
    let interface = try await node.open()
    if reset { return try await AppReset.run(app, of: owner.whose.owner, at: interface, options: options) }
    let request = RuleRequest(changes, app: app, isNew: new ? true : nil)
    let named: EditedApp?
    do {
      named = try await RuleIssue.set(request, of: owner.whose.owner, at: interface, options: options)
    } catch let error as LocalAPIError where error == .needsCategory {
      throw TerminalFailure(.usage, error.message)
    }
    for warning in matcher.compactMap(Self.warning) { console.note(warning) }
    if new, let named, !named.isRecognized, matcher.isEmpty || matcher == ["none"] {
      console.note(
        "Nothing is recognized as \(named.name) so far, so its rules close nothing: say which program it is with "
          + "--matcher: `latchkey app set --help` shows how.")
    }
  }

  /// One change for each rule; the node puts the application into their keys.
  private var changes: [RuleRequest.Change] {
    var changes = AppRule.name.changes(name) + AppRule.category.changes(category)
    changes += AppRule.rate.changes(pointsPerMinute) + AppRule.blocked.changes(blocking?.block(now: now))
    changes += AppRule.allowed.changes(alwaysAllowed) + AppRule.enabled.changes(enabling.map { $0 == .enabled })
    changes += dailyLimit?.changes(of: AppRule.limit.end, replacing: Weekday.allCases) ?? []
    changes += AppRule.step.changes(whenOver) + AppRule.launches.changes(launches)
    if let grace { changes += [.init(AppRule.grace.end, grace.text)] }
    changes += TimesText.changes(of: AppRule.hours.end, to: hours)
    // The node says which matchers it does not take.
    if !matcher.isEmpty {
      changes.append(.init(AppRule.matchers.end, matcher == ["none"] ? nil : matcher.joined(separator: "\n")))
    }
    return changes
  }

  /// Returns a sentence on a matcher that fits whatever has a plain word among its arguments.
  private static func warning(_ matcher: String) -> String? {
    guard let pattern = matcher.wholeMatch(of: /argument (.+)/)?.output.1 else { return nil }
    let word = pattern.split { $0 == "*" || $0 == "?" }.max { $0.utf8.count < $1.utf8.count } ?? ""
    guard word.wholeMatch(of: /[0-9A-Za-z._-]+/) != nil else { return nil }
    return
      "“\(pattern)” also closes an editor or a shell that has the word among its arguments, such as `nano \(word)`: give more of "
      + "the command line that starts it, such as --matcher \"argument java -jar *\(word)\"."
  }
}

struct AppOwner: ParsableArguments {
  @OptionGroup var whose: RuleOwnerOptions

  /// Refused with a sentence: rules belong to a child.
  @Option(name: .customLong("on"), help: .hidden) var machine: String?

  mutating func validate() throws {
    if machine != nil {
      throw ValidationError(
        "Rules are a child's and hold on all machines of the child's, so --on does not fit here: name the child with --child, "
          + "or leave it out if there is only one.")
    }
  }
}

enum AppChoice {
  private static let everyApp: Set<String> = ["all", "any", "every", "everything"]

  /// Throws `ValidationError` for a text that means every application, or is empty or too long.
  static func check(_ text: String) throws {
    if everyApp.contains(text.lowercased()) || text.contains(where: { "*?".contains($0) }) {
      throw ValidationError(
        "“\(DeviceName(sanitising: text))” is no application's name, and rules are set for one application at a time: give "
          + "its ID, such as org.gnome.Chess.")
    }
    if let fault = TextRule.displayName.fault(in: text) { throw ValidationError(fault) }
  }
}
