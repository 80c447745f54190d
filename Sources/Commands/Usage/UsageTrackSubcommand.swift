import ArgumentParser
import LatchkeyModel
import LatchkeyNode

/// The `latchkey usage track` subcommand.
struct UsageTrackSubcommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "track", abstract: "Run a program and record its use.",
    discussion: """
      Runs what stands after --, passes signals on to it, and exits with its status. The session is stored at the node \
      from the start, so it is recorded even if everything is killed. Without a running node the program is not run, \
      and without an agent its use is not recorded.

      Example: latchkey usage track --app Chess -- /usr/games/gnome-chess
      Example: latchkey usage track --app org.gnome.Chess -- /usr/games/gnome-chess
      """)

  @OptionGroup var node: NodeOptions

  @Option(
    help: ArgumentHelp("The application that the program is, by name or ID.", valueName: "application"),
    completion: CompletionNames.apps)
  var app: String

  @Option(help: ArgumentHelp("The name that people read.", valueName: "display-name"))
  var name: String?

  @Argument(
    parsing: .postTerminator, help: ArgumentHelp("The program and its arguments, after --.", valueName: "program"))
  var program: [String] = []

  mutating func validate() throws {
    try AppChoice.check(app)
    if program.isEmpty {
      throw ValidationError("There is no program to run: write it after --, such as -- /usr/games/gnome-chess.")
    }
    if let fault = name.flatMap({ TextRule.displayName.fault(in: $0) }) { throw ValidationError(fault) }
  }

  func run() async throws {
    let environment = TerminalEnvironment.current
    let interface = try await node.open()
    let app = try await chosen(at: interface)
    let started = try environment.startProgram(program)
    let reporter = UsageReporter(node: interface, patience: environment.reportPatience)
    // The program keeps its process number until it is waited for, so that the node can see what it
    // is told of.
    let session = await report(started, as: app, to: reporter)
    let status = try await started.waitUntilEnd()
    if let session {
      do {
        try await reporter.end(session.recordID)
      } catch {
        environment.console.note(
          "latchkey: The node did not confirm the end of the session (\(ShownText.safe(error.message))) "
            + "It ends the session by itself at the last moment it saw the program.")
      }
    }
    throw ExitCode(status)
  }

  /// Returns the ID of the application; a program that was named by its ID runs although the node
  /// cannot look for it.
  private func chosen(at node: any NodeInterface) async throws -> AppID {
    do { return try await node.ask(Endpoints.getTrackedApp, app).appID } catch {
      guard let id = AppID(app), [.storage, .internal, .forbidden].contains(error.code) else { throw error }
      return id
    }
  }

  /// The application as people read of it: by the name that was given here, or as it was typed.
  private var called: String { ShownText.safe(name ?? app) }

  /// Returns a sentence on what the node counts from now on.
  static func sentence(_ session: UsageStarted, app: String) -> String {
    guard session.isBlocked else {
      return "latchkey: The use of \(app) counts from now until the program ends."
    }
    return session.enforcement == .recorded
      ? "latchkey: \(app) is blocked on this machine. Rules are recorded and shown here; no agent closes applications."
      : "latchkey: \(app) is blocked on this machine, and is closed."
  }

  /// Reports the start, and tells the person what they should know about it.
  private func report(
    _ started: any RecordedProgram, as app: AppID, to reporter: UsageReporter
  ) async -> UsageStarted? {
    let environment = TerminalEnvironment.current
    do {
      let session = try await reporter.start(started, app: app, name: name, zone: environment.timeZone.identifier)
      environment.console.note(Self.sentence(session, app: called))
      return session
    } catch {
      environment.console.note(
        "latchkey: The program runs, but its use is NOT recorded: \(ShownText.safe(error.message))")
      return nil
    }
  }
}
