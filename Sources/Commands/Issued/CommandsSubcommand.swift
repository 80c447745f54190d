import ArgumentParser
import LatchkeyModel
import LatchkeyNode
import LatchkeyRules

struct CommandsSubcommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "commands", abstract: "What was asked of the children's machines, and how far it has come.",
    discussion: """
      A command is named by `last`, which is the newest one, by its ID, or by a beginning of it that fits no other; `latchkey \
      commands list --verbose` shows IDs.

      Example: latchkey commands
      Example: latchkey commands show last
      """,
    subcommands: [
      CommandsListSubcommand.self, CommandsShowSubcommand.self, CommandsWaitSubcommand.self,
      CommandsCancelSubcommand.self,
    ], defaultSubcommand: CommandsListSubcommand.self)
}

struct CommandChoice: ParsableArguments {
  @Argument(help: "The command's ID, the beginning of it, or `last`.", completion: CompletionNames.commands)
  var id: String

  /// Returns the ID, or its prefix, in the form that the node accepts; throws `TerminalFailure` for
  /// `last` if no command has been issued.
  func find(at node: any NodeInterface) async throws -> String {
    guard id.lowercased() == "last" else { return id }
    guard let last = try await node.ask(Endpoints.getCommands, (nil, 1)).first else {
      throw TerminalFailure(
        .unknownName, "No commands have been given: `latchkey app set --help` shows how to give one.")
    }
    return last.commandID.description
  }
}

struct CommandsListSubcommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "List commands, newest first.",
    discussion: "Example: latchkey commands list --on Emma --limit 10")

  @OptionGroup var listing: ListingOptions

  @Option(on: "Only those for this machine, or for this child's.") var device: String?

  @Option(help: "At most this many.") var limit = 100
  @Flag(help: "Show the commands' IDs as well.") var verbose = false

  mutating func validate() throws {
    guard (1...10_000).contains(limit) else { throw ValidationError("The limit must be 1 to 10,000.") }
  }

  func run() async throws {
    let interface = try await listing.node.open()
    let commands = try await interface.ask(Endpoints.getCommands, (device, limit))
    if listing.format == .json { return try console.write(JSONText.pretty(commands)) }
    let names = try await DeviceNames(of: interface)
    let now = TerminalEnvironment.current.now()
    let terms = await CommandTerms(at: interface, zone: try await FamilyClock(at: interface).zone)
    let rows = commands.map { command in
      [
        names[command.target], CommandText.request(command.payload, terms[command.target]), CommandText.status(command),
        ShownText.ago(command.statusAt, now: now),
      ] + (verbose ? [command.commandID.description] : [])
    }
    try console.write(
      TableText.render(
        ["Machine", "Asked", "Status", "Since"] + (verbose ? ["ID"] : []), wrap: [1, 2], rows: rows,
        empty: "No commands have been given."))
  }
}

struct CommandsShowSubcommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "show", abstract: "Show one command in full.", discussion: "Example: latchkey commands show last")

  @OptionGroup var listing: ListingOptions
  @OptionGroup var choice: CommandChoice

  func run() async throws {
    let interface = try await listing.node.open()
    let command = try await interface.ask(Endpoints.getCommand, choice.find(at: interface))
    if listing.format == .json { return try console.write(JSONText.pretty(command)) }
    let names = try await DeviceNames(of: interface)
    let isOwn = try await interface.ask(Endpoints.getStatus).deviceID == command.author
    let zone = try await FamilyClock(at: interface).zone
    let terms = await CommandTerms(at: interface, zone: zone)[command]
    let progress = CommandText.progress(
      command, on: names.name(command.target),
      peer: try await interface.ask(Endpoints.getDevices).first { $0.device.deviceID == command.target }, terms: terms)
    let through = command.through.map { ", through \(ShownText.safe($0))" } ?? ""
    let rows = [
      ("ID", command.commandID.description), ("machine", names[command.target]),
      ("asked", CommandText.request(command.payload, terms)), ("given", TimeText.exact(command.createdAt, zone: zone)),
      ("author", (isOwn ? "this machine" : names[command.author]) + through), ("status", progress),
      ("since", TimeText.exact(command.statusAt, zone: zone)),
    ]
    try console.write(FieldsText.render(rows))
  }
}

struct CommandsWaitSubcommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "wait", abstract: "Wait until a command has been executed.",
    discussion: """
      Writes what holds then and exits with 0; with 75 when the time is up, and with 65 when the command failed or will not \
      be executed.

      Example: latchkey commands wait last --timeout 30
      """)

  @OptionGroup var listing: ListingOptions

  @Option(help: .value("time", "Wait at most this long, such as 30 or 5min.")) var timeout = WaitingTime.usual

  @OptionGroup var choice: CommandChoice

  func run() async throws {
    let interface = try await listing.node.open()
    let id = try await choice.find(at: interface)
    let command = try await CommandWaiter(node: interface, tell: { console.note($0) }).wait(
      id, seconds: timeout.seconds)
    var machine: DeviceName?
    if let target = command?.target {
      machine = try? await interface.ask(Endpoints.getDevices).first { $0.device.deviceID == target }?.device.name
    }
    var terms = RuleTerms()
    if let command { terms = await CommandTerms(at: interface)[command] }
    try CommandEnd.tell(
      command, id: choice.id, machine: machine, format: listing.format, time: timeout,
      author: await CommandEnd.author(insteadOf: command, at: interface), terms)
  }
}

struct CommandsCancelSubcommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "cancel", abstract: "Take back a command that the other machine has not stored yet.",
    discussion: """
      A message or a request for a report can be taken back. A rule holds from when it was set: set another one instead.

      Example: latchkey commands cancel last
      """)

  @OptionGroup var listing: ListingOptions
  @OptionGroup var choice: CommandChoice

  func run() async throws {
    let interface = try await listing.node.open()
    let id = try await choice.find(at: interface)
    let command: ConfigurationCommand
    do { command = try await interface.ask(Endpoints.cancelCommand, id) } catch {
      guard [.invalid, .tooLate].contains(error.code), let present = try? await interface.ask(Endpoints.getCommand, id)
      else { throw error }
      throw TerminalFailure(.data, CommandText.kept(present, await CommandTerms(at: interface)[present]))
    }
    let terms = await CommandTerms(at: interface)[command]
    guard command.status == .cancelled else { throw TerminalFailure(.data, CommandText.kept(command, terms)) }
    if listing.format == .json { return try console.write(JSONText.pretty(command)) }
    console.note(CommandText.cancelled(command, terms))
  }
}
