import Foundation
import Glibc
import LatchkeyModel
import LatchkeyNode
import Synchronization

/// A family of real nodes in a folder of its own.
///
/// All its processes end with it, and the folder is removed.
///
/// `LATCHKEY_TEST_KEEP=1` keeps the folders with each node's log.
final class ProcessLab: Sendable {
  /// The folder; short, because a socket's path has to fit.
  let folder: String
  /// A Boolean value that indicates whether children's machines have agents, without which no use
  /// is recorded.
  let hasAgents: Bool
  private let started = Mutex<[SpawnedProcess]>([])
  private let names = Mutex(0)

  /// Runs `body` with a lab and ends its processes in any case.
  ///
  /// `asRoot` permits root, for tests that start no node as root. With `hasAgents`, children's
  /// machines record use and close programs of the user who runs the tests.
  static func run<Value>(
    asRoot: Bool = false, hasAgents: Bool = false, _ body: (ProcessLab) async throws -> Value
  ) async throws -> Value {
    let lab = try ProcessLab(asRoot: asRoot, hasAgents: hasAgents)
    do {
      let value = try await body(lab)
      try await lab.end()
      return value
    } catch {
      lab.showLogs()
      try? await lab.end()
      throw error
    }
  }

  private init(asRoot: Bool, hasAgents: Bool) throws {
    self.hasAgents = hasAgents
    guard try asRoot || !ProcessRights(of: getpid()).isPrivileged else {
      throw LabFault("Nodes run as an ordinary user. Run the tests by Tools/test, or their program by Tools/as-user.")
    }
    var path = Array("/tmp/lk-XXXXXX".utf8CString)
    guard mkdtemp(&path) != nil else { throw LabFault("No folder could be made below /tmp.") }
    folder = String(decoding: path.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  /// The environment variables of every process of the lab.
  var environment: [String: String] {
    var variables = [
      "PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "HOME": folder, "TZ": "Europe/Berlin",
      "LANG": "C.UTF-8", "SHELL": "/bin/sh",
      "SWIFT_BACKTRACE": "enable=no",
      // Other tests look at terminals of this account.
      "LATCHKEY_NO_TERMINALS": "1",
      // What is installed on this machine is nothing of a test's.
      "XDG_DATA_DIRS": folder + "/share", "XDG_DATA_HOME": folder + "/home", "LATCHKEY_DPKG_DIR": folder + "/dpkg",
    ]
    variables["LD_LIBRARY_PATH"] = ProcessInfo.processInfo.environment["LD_LIBRARY_PATH"]
    return variables
  }

  /// Starts a program that ends with the lab at the latest; `variables` are added to the lab's
  /// environment.
  func spawn(
    _ program: String, _ arguments: [String], variables: [String: String] = [:], input: String = "/dev/null",
    output: String, talk: String
  ) throws -> SpawnedProcess {
    let process = try SpawnedProcess(
      program, arguments, environment: environment.merging(variables) { $1 }, input: input, output: output, talk: talk)
    started.withLock { $0.append(process) }
    return process
  }

  /// Runs a program to its end.
  func run(
    _ program: String, _ arguments: [String], variables: [String: String] = [:], input: String = ""
  ) async throws -> CommandResult {
    let base = newPath()
    defer { for suffix in [".in", ".out", ".err"] { unlink(base + suffix) } }
    try Data(input.utf8).write(to: URL(fileURLWithPath: base + ".in"))
    let process = try spawn(
      program, arguments, variables: variables, input: base + ".in", output: base + ".out", talk: base + ".err")
    let end = await process.wait()
    started.withLock { $0.removeAll { $0 === process } }
    return CommandResult(end: end, output: Self.read(base + ".out"), talk: Self.read(base + ".err"))
  }

  /// Runs `latchkey` to its end.
  func latchkey(_ arguments: [String], input: String = "") async throws -> CommandResult {
    try await run(BuiltProgram.path, arguments, input: input)
  }

  /// Creates a node's folder, with further options of `init`; nothing runs yet.
  func node(
    _ role: DeviceRole, _ name: String, variables: [String: String] = [:], saying words: [String] = []
  ) async throws -> NodeProcess {
    let node = NodeProcess(lab: self, folder: newPath(), name: name)
    await node.use(variables)
    if hasAgents, role == .child { await node.enforce() }
    let made = try await node.latchkey(["init", "--role", role.rawValue, "--name", name] + words)
    guard made.status == 0 else { throw LabFault("init failed: \(made)") }
    return node
  }

  /// Creates and starts a node.
  func runningNode(_ role: DeviceRole, _ name: String, _ options: [String]? = nil) async throws -> NodeProcess {
    let node = try await node(role, name)
    try await node.start(options)
    return node
  }

  /// Creates and starts a parent and a child, and pairs them.
  func pairedFamily() async throws -> (parent: NodeProcess, child: NodeProcess) {
    let parent = try await runningNode(.parent, "Kitchen laptop")
    let child = try await runningNode(.child, "Emma's PC")
    try await pair(parent, child)
    return (parent, child)
  }

  /// Pairs two running nodes, and waits until both are connected.
  func pair(_ parent: NodeProcess, _ child: NodeProcess) async throws {
    let progress = try await join(child, try await code(from: parent))
    guard progress.outcome == .ok else { throw LabFault("the pairing ended so: \(progress)") }
    try await eventually("\(child.name) is connected") { try await child.isConnected() }
  }

  /// Opens a code that accepts any machine without a question.
  func code(from parent: NodeProcess) async throws -> String {
    let invited = try await parent.api.ask(Endpoints.invite, InviteRequest(acceptWithoutAsking: true))
    guard let code = invited.code else { throw LabFault("no code was shown: \(invited)") }
    return code
  }

  /// Enters a code, and follows the pairing to its end.
  func join(_ child: NodeProcess, _ code: String, peer: String? = nil) async throws -> PairingProgress {
    let api = try await child.api
    var progress = try await api.ask(Endpoints.join, JoinRequest(code: code, peer: peer))
    while progress.phase != .ended {
      progress = try await api.ask(Endpoints.waitForPairing, (progress.pairingID, progress.change))
    }
    return progress
  }

  /// A path in the lab's folder that nothing has yet.
  func newPath() -> String {
    names.withLock { count in
      count += 1
      return "\(folder)/\(count)"
    }
  }

  /// Returns a free TCP port on loopback, outside the range from which the kernel assigns ports.
  func freePort() throws -> UInt16 {
    for _ in 0..<200 {
      let port = UInt16.random(in: 20_000..<30_000)
      if (try? ListeningSocket(port: port)) != nil { return port }
    }
    throw LabFault("No port is free.")
  }

  /// The text of a file, empty when it cannot be read.
  static func read(_ path: String) -> String {
    (try? Data(contentsOf: URL(fileURLWithPath: path))).map { String(decoding: $0, as: UTF8.self) } ?? ""
  }

  private func showLogs() {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    for name in names.sorted() where name.hasSuffix(".log") {
      let tail = Self.read("\(folder)/\(name)").split(separator: "\n").suffix(40).joined(separator: "\n")
      FileHandle.standardError.write(Data("--- \(name)\n\(tail)\n".utf8))
    }
  }

  private func end() async throws {
    let processes = started.withLock { $0 }
    for process in processes { process.signal(SIGKILL) }
    for process in processes { _ = await process.wait() }
    let isKept = ProcessInfo.processInfo.environment["LATCHKEY_TEST_KEEP"] != nil
    // An agent goes on by its last orders without its node, and would close programs of the tests
    // that follow. While a process writes into the folder, it may not be removed as a whole.
    try await eventually("no process of the lab is left, and no folder") {
      let left = Self.processes { words in words.contains { $0.contains(self.folder + "/") } }
      // Another user's process is no part of the lab.
      guard left.filter({ kill($0, SIGKILL) == 0 }).isEmpty else { return false }
      return isKept || (try? FileManager.default.removeItem(atPath: folder)) != nil
    }
  }

  /// Returns the processes of this machine whose program and arguments meet a condition.
  static func processes(where isMeant: ([String]) -> Bool) -> [pid_t] {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
    return names.compactMap { pid_t($0) }
      .filter { isMeant(read("/proc/\($0)/cmdline").split(separator: "\0").map(String.init)) }
  }
}
