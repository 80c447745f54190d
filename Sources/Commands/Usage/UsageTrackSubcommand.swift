import ArgumentParser
import LatchkeyModel
import LatchkeyNode
import LatchkeySystem

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
    help: .value("application", "The application that the program is, by name or ID."), completion: CompletionNames.apps
  )
  var app: String

  @Option(help: .value("display-name", "The name that people read.")) var name: String?

  @Argument(parsing: .postTerminator, help: .value("program", "The program and its arguments, after --."))
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
    // Until it is waited for, the program keeps its process number, so that the node can see it.
    let session = await report(started, as: app, to: reporter)
    let status = try await started.waitUntilEnd()
    if let session {
      do { try await reporter.end(session.recordID) } catch {
        console.note(
          "latchkey: The node did not confirm the end of the session (\(ShownText.safe(error.message))) "
            + "It ends the session by itself at the last moment it saw the program.")
      }
    }
    throw ExitCode(status)
  }

  /// Returns the ID of the application; with an ID, the program runs although the node cannot look.
  private func chosen(at node: any NodeInterface) async throws -> AppID {
    do { return try await node.ask(Endpoints.getTrackedApp, app).appID } catch {
      guard let id = AppID(app), [.storage, .internal, .forbidden].contains(error.code) else { throw error }
      return id
    }
  }

  private var called: String { ShownText.safe(name ?? app) }

  static func sentence(_ session: UsageStarted, app: String) -> String {
    guard session.isBlocked else { return "latchkey: The use of \(app) counts from now until the program ends." }
    return session.enforcement == .recorded
      ? "latchkey: \(app) is blocked on this machine. Rules are recorded and shown here; no agent closes applications."
      : "latchkey: \(app) is blocked on this machine, and is closed."
  }

  private func report(
    _ started: any RecordedProgram, as app: AppID, to reporter: UsageReporter
  ) async -> UsageStarted? {
    let environment = TerminalEnvironment.current
    do {
      let session = try await reporter.start(started, app: app, name: name, zone: environment.timeZone.identifier)
      console.note(Self.sentence(session, app: called))
      return session
    } catch {
      console.note("latchkey: The program runs, but its use is NOT recorded: \(ShownText.safe(error.message))")
      return nil
    }
  }
}

/// Reports a session's start and end to the node, also while the node restarts.
struct UsageReporter: Sendable {
  let node: any NodeInterface
  /// The time for which a report is retried.
  let patience: Duration
  /// The time between two tries.
  var pause = Duration.milliseconds(250)

  /// Reports the start; on return, the session is durable at the node.
  func start(_ program: any RecordedProgram, app: AppID, name: String?, zone: String) async throws(LocalAPIError)
    -> UsageStarted
  {
    let request = UsageStartRequest(
      appID: app.text, displayName: name, processID: program.processID, processStartTime: program.processStartTime,
      startedAt: program.startedAt, startedAtWall: program.startedAtWall, zone: zone)
    return try await retried { () throws(LocalAPIError) in try await node.ask(Endpoints.startUsage, request) }
  }

  /// Asks the node to check whether the session has ended; on return, its record is durable.
  ///
  /// It is not an error if another window of the application continues the session.
  func end(_ recordID: RecordID) async throws(LocalAPIError) {
    do throws(LocalAPIError) {
      _ = try await retried { () throws(LocalAPIError) in try await node.ask(Endpoints.endUsage, recordID.description) }
    } catch { guard error.code == .stillRunning else { throw error } }
  }

  private func retried<Value: Sendable>(
    _ report: () async throws(LocalAPIError) -> Value
  ) async throws(LocalAPIError) -> Value {
    let deadline = ContinuousClock.now + patience
    while true {
      do { return try await report() } catch {
        // Only a node that cannot be reached is asked again; a refusal stays one.
        guard error.code == .timeout, ContinuousClock.now < deadline, !Task.isCancelled else { throw error }
        try? await Task.sleep(for: pause)
      }
    }
  }
}

/// A program that was started to have its use recorded.
protocol RecordedProgram: Sendable {
  var processID: Int32 { get }
  /// Field 22 of /proc/PID/stat.
  var processStartTime: UInt64 { get }
  var startedAt: BootInstant { get }
  /// Unix milliseconds.
  var startedAtWall: Int64 { get }

  /// Waits for its end, and returns its exit status, or 128 and the number of the signal.
  ///
  /// It keeps its process number until this is called, even if it has ended.
  func waitUntilEnd() async throws -> Int32
}

extension ChildProcess: RecordedProgram {
  var processID: Int32 { pid }
  var processStartTime: UInt64 { startTime }

  /// Starts a program, by path or name, with its arguments in the foreground of this terminal.
  ///
  /// - Throws: `TerminalFailure` with the exit status of a shell: 127 if the program is not found,
  ///   126 if it cannot be run.
  static func recorded(_ arguments: [String]) throws(TerminalFailure) -> ChildProcess {
    do { return try foreground(arguments) } catch {
      throw TerminalFailure(exitStatus: error.exitStatus, sentence: error.description)
    }
  }

  func waitUntilEnd() async -> Int32 { await wait().shellStatus }
}
