import ArgumentParser
import LatchkeyModel
import LatchkeyNode

struct MessageSubcommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "message", abstract: "Show a text on a child's machine.",
    discussion: "Example: latchkey message \"Dinner is ready\" --on Emma",
    subcommands: [MessageSendSubcommand.self], defaultSubcommand: MessageSendSubcommand.self)
}

struct MessageSendSubcommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "send", abstract: "Send a text, which `latchkey status` shows there.",
    discussion: "Example: latchkey message send \"Dinner is ready\" --on Emma")

  @OptionGroup var node: NodeOptions
  @OptionGroup var issuing: IssueOptions

  @Option(on: "The child's machine, or the child.") var on: String

  @Argument(help: "The text, 1 to 4,096 bytes.") var text: String

  mutating func validate() throws { if let fault = TextRule.message.fault(in: text) { throw ValidationError(fault) } }

  func run() async throws { try await CommandIssue.give(.message(text), on: on, at: node.open(), options: issuing) }
}

struct MessagesSubcommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "messages", abstract: "Show the texts that parents sent, newest first.",
    discussion: """
      What it shows on a terminal counts as read from then on, and `latchkey status` shows it no more.

      Example: latchkey messages
      """)

  @OptionGroup var listing: ListingOptions

  func run() async throws {
    let environment = TerminalEnvironment.current
    let interface = try await listing.node.open()
    let status = try await interface.ask(Endpoints.getStatus)
    guard listing.format == .table else { return try console.write(JSONText.pretty(status.messages)) }
    let language = status.role == .child ? environment.language : .english
    guard !status.messages.isEmpty else {
      return try console.say(ShownText.worded(Phrase("No messages have arrived here."), in: language))
    }
    let zone = try await FamilyClock(at: interface).zone
    for message in status.messages {
      let sender = DeviceNames(status).name(message.author)
      try console.say(MessageText.line(message, from: sender, zone: zone, in: language))
    }
    guard console.outputIsTerminal else { return }
    for message in status.messages where !message.isRead {
      do { _ = try await interface.ask(Endpoints.markMessageRead, message.commandID.description) } catch {
        // On a machine of several children, a message stays for the others.
        if error.code == .forbidden { return }
        throw error
      }
    }
  }
}

struct ReportSubcommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "report", abstract: "Report a child's use, or have a machine report what it holds.",
    discussion: """
      Alone, it shows the last seven days.

      Example: latchkey report week --child Emma
      Example: latchkey report request --on Emma --wait
      """,
    subcommands: [
      ReportDaySubcommand.self, ReportWeekSubcommand.self, ReportMonthSubcommand.self, ReportRequestSubcommand.self,
      ReportAdoptSubcommand.self,
    ], defaultSubcommand: ReportDaySubcommand.self)
}

struct ReportRequestSubcommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "request", abstract: "Ask for a report; `latchkey commands show last` has it once it is in.",
    discussion: "Example: latchkey report request --on Emma --wait")

  @OptionGroup var node: NodeOptions
  @OptionGroup var issuing: IssueOptions

  @Option(on: "The child's machine, or the child.") var on: String

  func run() async throws { try await CommandIssue.give(.requestReport, on: on, at: node.open(), options: issuing) }
}

struct ReportAdoptSubcommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "adopt", abstract: "Take over what was set here and is lost, as a child's machine holds it.",
    discussion: """
      For a parent's machine that was restored from a backup and has lost what was set since. `latchkey status` says what \
      the child's machine holds of it. Look at it first: it is that machine's word.

      Example: latchkey report adopt --on "Emma's PC"
      """)

  @OptionGroup var listing: ListingOptions

  @Option(on: "The child's machine, or the child.") var on: String

  func run() async throws {
    let adopted = try await listing.node.open().ask(Endpoints.adoptRules, on)
    if listing.format == .json { return try console.write(JSONText.pretty(adopted)) }
    let things = adopted.map { ShownText.safe($0.words) }
    console.note(
      things.isEmpty
        ? "There is nothing to take over: that machine holds nothing that this one has lost."
        : "Set again as that machine holds it: \(things.joined(separator: ", ")).")
  }
}
