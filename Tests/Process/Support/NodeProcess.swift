import Foundation
import GRDB
import Glibc
import LatchkeyCommands
import LatchkeyModel
import LatchkeyNode

/// One node as a real process: it is started, killed and restarted, and answers through its own
/// socket.
actor NodeProcess {
  nonisolated let lab: ProcessLab
  /// Its state folder, as its processes see it.
  nonisolated let folder: String
  /// The same folder, as this process sees it.
  nonisolated let outside: String
  nonisolated let name: String
  /// Its log, of all its runs.
  nonisolated var log: String { ProcessLab.read(folder + ".log") }
  /// Returns the time of the last log line that contains a text.
  nonisolated func logged(_ text: String) -> Date? {
    let style = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
    return log.split(separator: "\n").last { $0.contains(text) }
      .flatMap { line in line.split(separator: " ").first }.flatMap { try? style.parse(String($0)) }
  }

  nonisolated var database: String { outside + "/latchkey.sqlite" }
  private var process: SpawnedProcess?
  private var options = NodeProcess.quiet
  /// The environment variables in addition to those of the lab.
  private var variables: [String: String] = [:]
  /// The program that starts the node; empty for none.
  private var launcher: [String] = []
  /// The program that its processes run.
  private var program = BuiltProgram.path
  /// Whether its agent closes programs of the user who runs the tests.
  private var enforces = false
  /// What it is told to listen on; nil for what it finds itself.
  private var interfaces: String? = "lo"

  /// On loopback alone, and without mDNS: codes and peers' addresses lead the way.
  static let quiet = ["--no-discovery"]

  init(lab: ProcessLab, folder: String, outside: String? = nil, name: String) {
    self.lab = lab
    self.folder = folder
    self.outside = outside ?? folder
    self.name = name
  }

  /// The node's API, on a connection made now.
  nonisolated var api: ControlClient {
    get async throws { try await ControlClient.open(stateFolder: outside, timeout: .seconds(30)) }
  }

  /// A Boolean value that indicates whether the process is running.
  var isRunning: Bool { process?.isRunning == true }

  /// The ID of the process that runs.
  var pid: pid_t? { process?.pid }

  /// Starts the node and waits until it answers.
  ///
  /// - Parameters:
  ///   - options: The options of `run`; `nil` for those of the last start.
  ///   - crashPoint: The point at which a debug build kills itself; `nil` for none.
  /// - Throws: The failure, with the node's output, if it does not answer.
  func start(_ options: [String]? = nil, crashPoint: String? = nil) async throws {
    if let options { self.options = options }
    var command = launcher + [program, "run", "--log-level", "debug", "--state-dir", folder]
    if let interfaces { command += ["--interfaces", interfaces] }
    if !enforces { command.append("--no-agent") }
    command += self.options
    let process = try lab.spawn(
      command[0], Array(command.dropFirst()),
      variables: variables.merging(crashPoint.map { ["LATCHKEY_CRASH_AT": $0] } ?? [:]) { $1 }, output: "/dev/null",
      talk: folder + ".log")
    self.process = process
    try await eventually("\(name) answers") {
      // A node that is to die may do so before it answers.
      guard process.isRunning || crashPoint != nil else {
        throw LabFault("\(self.name) did not start: \(self.log.suffix(2_000))")
      }
      // A socket that a killed run left behind answers nothing.
      guard let status = try? await self.api.ask(Endpoints.getStatus) else { return !process.isRunning }
      return status.processID == process.pid
    }
    if process.isRunning { try ProcessRights.record(process.pid, name) }
  }

  /// Sets the conditions of later starts.
  ///
  /// - Parameters:
  ///   - variables: The environment variables in addition to those of the lab.
  ///   - launcher: A program that becomes the node, such as `/usr/bin/env`; empty for none.
  ///   - interfaces: The interfaces to use; `nil` for those that the node chooses.
  func use(_ variables: [String: String], launcher: [String] = [], interfaces: String? = "lo") {
    self.variables = variables
    self.launcher = launcher
    self.interfaces = interfaces
  }

  /// From now on has an agent enforce rules while it runs.
  func enforce() { enforces = true }

  /// From now on has its processes run another program.
  func use(program: String) { self.program = program }

  /// From now on have its processes find these in their environment, too.
  func add(_ variables: [String: String]) { self.variables.merge(variables) { $1 } }

  /// The environment variables in addition to those of the lab.
  var environment: [String: String] { variables }

  /// Runs `latchkey` against this node, in the node's own environment.
  func latchkey(_ arguments: [String]) async throws -> CommandResult {
    let command = launcher + [BuiltProgram.path]
    return try await lab.run(
      command[0], command.dropFirst() + arguments + ["--state-dir", folder], variables: variables)
  }

  /// Kills the node, like a crash.
  func kill() async {
    process?.signal(SIGKILL)
    _ = await process?.wait()
  }

  /// Kills the node and starts it again.
  func restart() async throws {
    await kill()
    try await start()
  }

  /// Sends SIGTERM and waits until the process has ended.
  func terminate() async -> ProcessEnd? {
    process?.signal(SIGTERM)
    return await process?.wait()
  }

  /// Sends its process a signal.
  func signal(_ number: Int32) { process?.signal(number) }

  /// Waits until it ends by itself.
  func wait() async -> ProcessEnd? { await process?.wait() }

  /// Runs `latchkey` against this node.
  nonisolated func latchkey(_ arguments: String..., input: String = "") async throws -> CommandResult {
    var arguments = arguments
    // Arguments after `--` belong to another program.
    arguments.insert(contentsOf: ["--state-dir", folder], at: arguments.firstIndex(of: "--") ?? arguments.endIndex)
    return try await lab.latchkey(arguments, input: input)
  }

  /// Starts `latchkey` against this node and leaves it running; returns the process and the files
  /// of its output and talk.
  nonisolated func launch(_ arguments: [String], input: String = "/dev/null") throws -> (
    process: SpawnedProcess, output: String, talk: String
  ) {
    var arguments = arguments
    arguments.insert(contentsOf: ["--state-dir", folder], at: arguments.firstIndex(of: "--") ?? arguments.endIndex)
    let base = lab.newPath()
    let process = try lab.spawn(
      BuiltProgram.path, arguments, input: input, output: base + ".out", talk: base + ".err")
    return (process, base + ".out", base + ".err")
  }

  /// Returns whether a session with any peer is open.
  nonisolated func isConnected() async throws -> Bool {
    try await api.ask(Endpoints.getDevices).contains { $0.isConnected }
  }

  /// Returns whether the queues for all peers are empty.
  nonisolated func hasNothingWaiting() async throws -> Bool {
    try await api.ask(Endpoints.getDevices).allSatisfy { $0.queues.allSatisfy { $0.waitingItems == 0 } }
  }

  /// The devices that it is paired with; one that is removed and has not heard of it is none.
  nonisolated func paired() async throws -> [RegisteredDevice] {
    try await api.ask(Endpoints.getDevices).map(\.device).filter { $0.state == .active }
  }

  /// The port it listens on.
  nonisolated func port() async throws -> UInt16 {
    guard let text = try await api.ask(Endpoints.getStatus).listening.first?.split(separator: ":").last,
      let port = UInt16(text)
    else {
      throw LabFault("\(name) listens nowhere")
    }
    return port
  }

  /// Issues a command and returns its ID.
  nonisolated func issue(_ action: CommandDraft, to device: String) async throws -> String {
    try await api.ask(Endpoints.issue, CommandRequest(device: device, action: action)).commandID.description
  }

  /// Sets a rule of the whole family, and returns the ID of the command that carries it to a
  /// machine.
  nonisolated func set(_ key: String, _ value: String?, on device: String = "Emma's PC") async throws -> String {
    let target = try await api.ask(Endpoints.getDevices).first { $0.device.name.text == device }?.device.deviceID
    let edit = try await api.ask(Endpoints.setSettings, RuleRequest([.init(key, value)]))
    guard let command = edit.commands.last(where: { $0.target == target }) else {
      throw LabFault("\(device) gets nothing of \(key).")
    }
    return command.commandID.description
  }

  /// The applications that have rules, of all children.
  nonisolated func apps() async throws -> [AppListing] { try await api.ask(Endpoints.getApps, nil).flatMap(\.apps) }

  /// Waits until the status of a command is final, even over restarts.
  nonisolated func ended(_ id: String) async throws -> ConfigurationCommand {
    for _ in 0..<8 {
      let command = try await api.ask(Endpoints.waitForCommand, id)
      if command.status.isFinal { return command }
    }
    throw LabFault("The command \(id) never came to its end.")
  }

  /// Sessions that have ended and are known here.
  nonisolated func usage() async throws -> [UsageRecord] {
    try await api.ask(Endpoints.getUsage, UsageQuery(limit: 10_000).parts).sessions.filter { !$0.isOpen }.map(\.record)
  }

  /// Waits until `count` sessions are known here.
  nonisolated func eventuallyHasUsage(_ count: Int) async throws {
    try await eventually("\(name) knows \(count) sessions") { try await self.usage().count >= count }
  }

  /// Reads the database of a node that is stopped.
  nonisolated func read<Value>(_ body: (Database) throws -> Value) throws -> Value {
    if outside != folder { return try DatabaseQueue(path: copy()).read(body) }
    var configuration = Configuration()
    configuration.readonly = true
    return try DatabaseQueue(path: database, configuration: configuration).read(body)
  }

  /// A copy of its database: SQLite resolves the links of a path, and ends up in another mount
  /// namespace's.
  private nonisolated func copy() throws -> String {
    let copy = lab.newPath()
    for suffix in ["", "-wal"] where FileManager.default.fileExists(atPath: database + suffix) {
      try FileManager.default.copyItem(atPath: database + suffix, toPath: copy + suffix)
    }
    return copy
  }

  /// Changes the database of a node that is stopped.
  nonisolated func edit(_ body: (Database) throws -> Void) throws {
    try DatabaseQueue(path: database).write(body)
  }
}
