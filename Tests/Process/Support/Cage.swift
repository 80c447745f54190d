import Foundation
import Glibc
import LatchkeyAgentProtocol
import LatchkeyModel
import LatchkeySystem

/// Root's agent for a child's account of this machine, with a folder of control groups of the
/// test's own.
final class Cage {
  /// An agent and the connection to it.
  final class Agent {
    let process: SpawnedProcess
    fileprivate(set) var hasEvents = false
    fileprivate var socket: LocalSocket?
    fileprivate var assembler = AgentFrameAssembler()
    fileprivate var events: [AgentReport.Event] = []

    fileprivate init(process: SpawnedProcess) { self.process = process }
  }

  static let isPossible: Bool = {
    let status = ProcessLab.shell("mount -t cgroup2 cgroup2 /mnt && test -e /mnt/cgroup.procs")
    return status == 0
  }()

  /// Whether this machine's kernel tells this process of programs.
  static let hasEvents: Bool = {
    guard let events = ProcessEvents() else { return false }
    return events.deliver(ProgramSpawn.probe, within: 10_000)
  }()

  let mount: String
  let lab: ProcessLab
  private let folder: String
  let game: String
  let child: UInt32

  init(_ lab: ProcessLab, game program: String = "/bin/sleep") throws {
    self.lab = lab
    chmod(lab.folder, 0o755)
    mount = lab.newPath()
    mkdir(mount, 0o755)
    folder = mount + "/latchkey-test-\(getpid())-\(UInt32.random(in: 0 ... .max))"
    game = lab.newPath() + "-game"
    try FileManager.default.copyItem(
      atPath: URL(fileURLWithPath: program).resolvingSymlinksInPath().path, toPath: game)
    chmod(game, 0o755)
    guard let account = getpwnam("games")?.pointee.pw_uid else { throw LabFault("there is no account games") }
    child = account
  }

  /// Removes the groups.
  func remove() {
    _ = ProcessLab.shell(
      "mount -t cgroup2 cgroup2 \(mount); echo 1 >\(folder)/cgroup.kill; "
        + "for try in 1 2 3 4 5 6 7 8 9; do find \(folder) -depth -type d -exec rmdir {} + && break; sleep 0.1; done")
  }

  /// Starts an agent, and returns it once it has said what it is.
  ///
  /// The kernel gives events in the first network namespace alone.
  func agent(hasEvents: Bool = true) async throws -> Agent {
    let (socket, state) = (lab.folder + "/pause.sock", lab.folder + "/pause.orders")
    let script = """
      mount -t cgroup2 cgroup2 \(mount)
      mkdir -p \(folder)
      exec \(BuiltProgram.path(of: "latchkey-agent")) --socket \(socket) --orders \(state) --node-user 31800 \
      --jail \(folder)
      """
    let process = try lab.spawn(
      "unshare", (hasEvents ? [] : ["--net"]) + ["--mount", "--propagation", "private", "sh", "-ec", script],
      output: "/dev/null", talk: state + ".log")
    let agent = Agent(process: process)
    try await connect(agent)
    return agent
  }

  /// Connects to an agent, also to one that has started anew, and waits until it has said what it
  /// is.
  private func connect(_ agent: Agent) async throws {
    let path = lab.folder + "/pause.sock"
    try await eventually("the agent greets") {
      guard agent.process.isRunning else {
        throw LabFault("it ended: \(ProcessLab.read(lab.folder + "/pause.orders.log"))")
      }
      guard let bytes = agent.socket?.read() else {
        agent.socket = LocalSocket.connect(to: path)
        agent.assembler = AgentFrameAssembler()
        return false
      }
      agent.assembler.append(bytes)
      guard case .hello(let hello) = try agent.assembler.next() else { return false }
      _ = agent.socket?.write(try AgentFrame.welcome(NodeWelcome(run: hello.run, stored: 0)).bytes()[...])
      agent.hasEvents = hello.hasEvents
      return true
    }
  }

  /// Orders when the game closes, whether it is frozen then, and what holds for unknown programs.
  func order(
    _ agent: Agent, _ number: UInt64, closesAt: BootInstant?, step: ProgramTerms.Step = .pause,
    unknown: ProgramTerms? = nil
  ) throws {
    guard let app = AppID("game"), let boot = BootID.current() else { throw LabFault("no boot") }
    let program = ProgramOrder(
      app: app, category: .reward, terms: ProgramTerms(closesAt: closesAt, step: step, reason: "a limit"),
      matchers: [AppMatcher(kind: .path, value: game)])
    let orders = AgentOrders(
      number: number, boot: boot, at: BootClock.now(),
      accounts: [AccountOrders(account: child, unknown: unknown, programs: [program])])
    let bytes = try AgentFrame.orders(orders).bytes()
    guard agent.socket?.write(bytes[...]) == bytes.count else { throw LabFault("the agent takes no orders") }
  }

  /// Waits for a report, and forgets those up to it; goes on with an agent that has started anew.
  func hear(_ agent: Agent, _ what: String, _ isIt: (AgentReport.Event) -> Bool) async throws {
    try await eventually(what) {
      if let bytes = agent.socket?.read() { agent.assembler.append(bytes) } else { try await connect(agent) }
      while case .report(let report) = try agent.assembler.next() { agent.events.append(report.event) }
      if let found = agent.events.firstIndex(where: isIt) {
        agent.events.removeFirst(found + 1)
        return true
      }
      guard agent.process.isRunning else { throw LabFault("the agent ended") }
      return false
    }
  }

  /// Starts a program in the child's account; `arguments` begin with its path.
  func run(_ arguments: [String], output: String = "/dev/null") throws -> SpawnedProcess {
    try lab.spawn(
      "setpriv", ["--reuid", "\(child)", "--regid", "\(child)", "--clear-groups"] + arguments, output: output,
      talk: "/dev/null")
  }

  /// Starts the game in the child's account.
  func play(_ arguments: [String] = ["600"], _ variables: [String: String] = [:]) throws -> SpawnedProcess {
    try lab.spawn(
      "setpriv", ["--reuid", "\(child)", "--regid", "\(child)", "--clear-groups", game] + arguments,
      variables: variables, output: "/dev/null", talk: "/dev/null")
  }

  /// The processes that run the game.
  func players() throws -> [Int32] {
    try FileManager.default.contentsOfDirectory(atPath: "/proc").compactMap(Int32.init).filter {
      (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/\($0)/exe")) == game
    }
  }

  /// Returns whether a process is in a group of its own in which it is frozen, or has ended.
  func isJailed(_ process: Int32) throws -> Bool {
    guard let groups = try? String(contentsOfFile: "/proc/\(process)/cgroup", encoding: .utf8),
      let start = ProcessLiveness.startTime(pid: process)
    else { return true }
    return groups.contains("/\(URL(fileURLWithPath: folder).lastPathComponent)/\(process)-\(start)\n")
  }

  func asChild(_ command: String, _ agent: Agent) async throws -> CommandResult {
    try await lab.run(
      "nsenter",
      [
        "--target", "\(agent.process.pid)", "--mount", "setpriv", "--reuid", "\(child)", "--regid", "\(child)",
        "--clear-groups", "sh", "-c", command,
      ])
  }

  func group(of game: SpawnedProcess) -> String {
    "\(folder)/\(game.pid)-\(ProcessLiveness.startTime(pid: game.pid) ?? 0)"
  }

  /// Returns whether the kernel says that the game is frozen.
  func isFrozen(_ game: SpawnedProcess) -> Bool {
    let events = group(of: game) + "/cgroup.events"
    return ProcessLab.shell("mount -t cgroup2 cgroup2 \(mount) && grep -qx 'frozen 1' \(events)") == 0
  }
}

extension ProcessLab {
  /// Runs shell commands in a mount namespace of their own, and returns the exit status.
  fileprivate static func shell(_ script: String) -> Int32 {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/unshare")
    process.arguments = ["--mount", "--propagation", "private", "sh", "-c", script]
    process.standardOutput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    guard (try? process.run()) != nil else { return -1 }
    process.waitUntilExit()
    return process.terminationStatus
  }
}
