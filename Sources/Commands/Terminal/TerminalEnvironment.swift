import Foundation
import Glibc
import LatchkeyModel
import LatchkeyNode
import LatchkeySystem

/// Everything outside that a command touches; tests put their own in its place.
struct TerminalEnvironment: Sendable {
  var console: any Console
  var variables: [String: String]
  /// The zone that days are read in; `nil` for this machine's.
  var chosenZone: TimeZone?
  /// Unix milliseconds by the wall clock.
  var now: @Sendable () -> Int64
  var openNode: @Sendable (_ stateFolder: String) async throws -> any NodeInterface
  /// Returns the running node of a state folder for an edit that it makes once for a key.
  var openOnce: @Sendable (_ stateFolder: String, _ key: String) async throws -> any NodeInterface = {
    try await ControlClient.open(stateFolder: $0, key: $1)
  }
  /// Returns the running node of a state folder by the rights of the receiver with a token, and for
  /// one deed if a key is given.
  var openBridge: @Sendable (_ stateFolder: String, _ token: String, _ key: String?) async throws -> any NodeInterface =
    { try await ControlClient.open(stateFolder: $0, receiver: $1, key: $2) }
  /// Creates a state folder and returns the new device's ID.
  var initialise:
    @Sendable (_ stateFolder: String, _ role: DeviceRole, _ name: String, _ accounts: StatedAccounts?) async throws ->
      DeviceID
  /// Assigns a state folder to this machine and returns the node's name.
  var keepIdentity: @Sendable (_ stateFolder: String) throws -> DeviceName
  /// Gives a state folder new keys and returns the node's name and new ID.
  var renewIdentity: @Sendable (_ stateFolder: String) async throws -> (name: DeviceName, deviceID: DeviceID)
  /// Runs a node until it is told to stop.
  var runNode: @Sendable (NodeConfiguration) async throws -> Void
  /// Gathers the facts about this machine and the path to one peer.
  var gather: @Sendable (_ stateFolder: String, DoctorRequest) async -> Facts
  var startProgram: @Sendable (_ arguments: [String]) throws -> any RecordedProgram
  /// The time to wait for a node that restarts or, during a pairing, has stopped.
  var reportPatience: Duration
  /// Milliseconds on a clock that does not jump.
  var uptime: @Sendable () -> Int64
  var pause: @Sendable (Duration) async throws -> Void

  /// What `latchkey setup` does to the machine; `nil` for the real one.
  var setup: MachineSetup?
  /// The desktop that shows notices; `nil` for this session's.
  var desktop: (any NotificationDesktop)?

  @TaskLocal static var current: TerminalEnvironment = .live

  static let live: TerminalEnvironment = TerminalEnvironment(
    console: TerminalConsole(), variables: ProcessInfo.processInfo.environment,
    now: { WallClock.now() },
    openNode: { try await ControlClient.open(stateFolder: $0) },
    initialise: {
      makePrivate()
      return try await NodeFolder.initialise(StateFolder(path: $0), role: $1, name: $2, accounts: $3) {
        TerminalEnvironment.current.console.note($0)
      }
    },
    keepIdentity: {
      makePrivate()
      return try NodeIdentity.keep(StateFolder(path: $0))
    },
    renewIdentity: {
      makePrivate()
      return try await NodeIdentity.renew(StateFolder(path: $0))
    },
    runNode: {
      makePrivate()
      try await LatchkeyNode.runNode($0)
    },
    gather: { Gatherer.gather($0, $1) },
    startProgram: { try ChildProcess.recorded($0) },
    reportPatience: .seconds(10),
    uptime: { SystemClock.boot.milliseconds },
    pause: { try await Task.sleep(for: $0) })

  /// Makes every file that this process creates from now on accessible to its user only.
  private static func makePrivate() { umask(0o077) }

  /// The language of what children read; everything else is in English.
  var language: Language { Language.asked(for: variables) }

  /// Returns the language of what parents read as well: English on a parent's machine.
  func language(at node: any NodeInterface) async throws -> Language {
    guard language != .english else { return .english }
    return try await node.ask(Endpoints.getStatus).role == .child ? language : .english
  }

  /// The zone that days are read in.
  ///
  /// This machine's is looked up where it is used, since that reads files.
  var timeZone: TimeZone {
    get { chosenZone ?? .current }
    set { chosenZone = newValue }
  }

  /// The greatest width of a line on standard output, in columns; `Int.max` if it is not a
  /// terminal.
  ///
  /// A program that shows the output to a person may set the variable `COLUMNS`.
  var outputColumns: Int {
    if console.outputIsTerminal { return console.size.columns }
    guard let columns = variables["COLUMNS"].flatMap({ Int($0) }), columns > 0 else { return Int.max }
    return columns
  }

  var usesColour: Bool { console.outputIsTerminal && mayColour }

  /// A Boolean value that indicates whether color is permitted by the environment.
  var mayColour: Bool { (variables["NO_COLOR"] ?? "").isEmpty && variables["TERM"] != "dumb" }

  /// Runs work until it ends or is interrupted, and gives memory back regularly.
  func runUntilInterrupted(_ body: @escaping @Sendable () async throws -> Void) async throws {
    let work = Task { try await body() }
    let releasing = Task { await ResidentMemory.releaseRepeatedly() }
    defer { releasing.cancel() }
    let stops = console.interrupts()
    let stopping = Task {
      for await _ in stops { return work.cancel() }
    }
    defer { stopping.cancel() }
    do { try await work.value } catch is CancellationError {}
  }
}
