import Glibc
import LatchkeyAgentProtocol
import LatchkeyModel
import LatchkeySystem

/// A service that keeps an agent beside a child's node, gives it orders, and takes its reports.
///
/// The system's agent is used if there is one. Otherwise the node starts one of its own, which acts
/// for the programs of this user alone. It goes on by its last orders if the node dies; the node
/// that is started next finds it.
///
/// Spec: Protocol/13-agent.md.
actor AgentService {
  private static let systemSocket = "/run/latchkey-agent/agent.sock"
  /// The time between two attempts to reach an agent, in milliseconds.
  private static let pause: Int64 = 100
  /// The attempts after which a person is told that there is none.
  private static let attempts = 50
  /// The shortest time between two starts of an agent, in milliseconds.
  private static let startPause: Int64 = 1_000

  private let context: NodeContext
  private let usage: UsageService
  private let refused: RefusedProgramService
  /// The program of the node's own agent; `nil` if there is only the system's.
  private let program: String?
  private var own: ChildProcess?
  private var startedAt: BootInstant?
  /// Why the last start failed, which is logged once.
  private var startFault: String?
  /// What the agent has refused of the orders that it is about to carry out.
  private var refusals: [OrderFault] = []
  private static let keptRefusals = 1_024
  private var stored: (run: UInt64, number: UInt64) = (0, 0)

  init(context: NodeContext, usage: UsageService, refused: RefusedProgramService) {
    self.context = context
    self.usage = usage
    self.refused = refused
    program = if case .own(let path) = context.configuration.agent { path } else { nil }
  }

  func run() async {
    var failures = 0
    await ChangeSignal().follow {
      if let (socket, peer) = connect() {
        failures = 0
        await serve(socket, peer)
        context.enforcementState.connected(nil, at: context.now())
        await usage.agentChanged()
        context.changes.notify()
      } else {
        if await !isStarted() { warnOfNone() }
        failures += 1
        if failures == Self.attempts { warnOfNone() }
      }
      return Self.pause
    }
    await stop()
  }

  private nonisolated var ownSocket: String { "\(context.folder.path)/agent.sock" }
  private nonisolated var ownOrders: String { "\(context.folder.path)/agent.orders" }

  private func connect() -> (LocalSocket, LocalSocket.Peer)? {
    for (path, user) in [(Self.systemSocket, 0), (ownSocket, geteuid())] as [(String, uid_t)] {
      if let socket = LocalSocket.connect(to: path), let peer = socket.peer, peer.user == user { return (socket, peer) }
    }
    return nil
  }

  /// Starts an agent unless one runs or was started just now; returns `false` if the start failed.
  private func isStarted() async -> Bool {
    guard let program else { return true }
    if let own, await !hasEnded(own) { return true }
    if let startedAt, context.now() - startedAt < Self.startPause { return true }
    startedAt = context.now()
    do {
      own = try ChildProcess.background([program, "--socket", ownSocket, "--orders", ownOrders])
      startFault = nil
      return true
    } catch {
      let fault = "\(error)"
      if fault != startFault {
        context.logger.error("the agent could not be started", metadata: ["reason": "\(fault)"])
      }
      startFault = fault
      return false
    }
  }

  private func hasEnded(_ program: ChildProcess) async -> Bool {
    if let start = ProcessLiveness.startTime(pid: program.pid),
      ProcessLiveness.isAlive(pid: program.pid, startTime: start)
    {
      return false
    }
    await program.wait()
    own = nil
    return true
  }

  private func warnOfNone() {
    context.warn(
      "agent",
      "No agent runs on this machine, so rules are recorded and shown, nothing is closed, and no use is recorded: "
        + (program.map { "see that \($0) is there, and start `latchkey run` again." }
          ?? "start it with `sudo systemctl start latchkey-agent`, or see why it ended with `systemctl status latchkey-agent`.")
    )
  }

  // MARK: A connection

  private func serve(_ socket: LocalSocket, _ peer: LocalSocket.Peer) async {
    let link = AgentLink(socket)
    var assembler = AgentFrameAssembler()
    await withTaskGroup(of: Void.self) { group in
      group.addTask { [context] in await link.giveOrders(of: context) }
      receiving: for await bytes in link.bytes() {
        assembler.append(bytes)
        do {
          while let frame = try assembler.next() {
            guard await receive(frame, from: peer, over: link) else { break receiving }
          }
        } catch {
          context.logger.error("the agent was not understood", metadata: ["reason": "\(error)"])
          break
        }
      }
      group.cancelAll()
    }
    // A connection that the agent closed is no reason to leave one that does not answer.
    if Task.isCancelled, peer.user == geteuid() { terminate(peer.process) }
  }

  private func receive(_ frame: AgentFrame, from peer: LocalSocket.Peer, over link: AgentLink) async -> Bool {
    switch frame {
    case .hello(let hello):
      guard hello.boot == context.bootID || !hello.isSystem else { return false }
      // Before the orders, which are sent as soon as the agent counts as connected: it refuses
      // orders without a welcome.
      let known = stored.run == hello.run ? stored.number : 0
      guard await link.send(.welcome(NodeWelcome(run: hello.run, stored: known))) else { return false }
      context.warn("agent", Self.sentence(hello))
      await usage.agentChanged()
      context.enforcementState.connected(hello)
      if hello.isSystem { Self.log(sessions: hello.hasSessions, input: hello.hasInput, context) }
      context.changes.notify()
      return true
    case .report(let report):
      guard let hello = context.enforcementState.agent else { return false }
      guard await take(report, from: hello) else { return false }
      stored = (hello.run, report.number)
      return await link.send(.stored(report.number))
    case .welcome, .orders, .stored: return false
    }
  }

  private static func log(sessions: Bool, input: Bool, _ context: NodeContext) {
    context.logger.info("the agent sees people", metadata: ["sessions": "\(sessions)", "input": "\(input)"])
  }

  /// Returns what an agent cannot do, in the words of the condition that the machine reports, which
  /// `latchkey doctor` tells once.
  static func sentence(_ hello: AgentHello) -> String? {
    guard let name = !hello.isSystem ? "own-programs-only" : hello.hasEvents ? nil : "no-process-events" else {
      return nil
    }
    return ConditionKind.named(name)?.ownWarning
  }

  /// Makes durable what follows from a report; returns whether it is.
  private func take(_ report: AgentReport, from hello: AgentHello) async -> Bool {
    func reading(_ milliseconds: Int64) -> SessionActivity.Reading? {
      hello.isSystem ? SessionActivity.Reading(run: hello.run, milliseconds: milliseconds) : nil
    }
    await usage.heard(of: report.at)
    if let condition = report.event.condition { context.enforcementState.note(condition, at: context.now()) }
    do {
      switch report.event {
      case .began(let use, let since, let activity):
        try await usage.saw(use, since: since, asOf: report.at, activity: reading(activity))
      case .ended(let use, let milliseconds, let activity):
        try await usage.ended(use, after: milliseconds, at: report.at, activity: reading(activity))
      case .active(let use, _, let activity):
        try await usage.ran(use, until: report.at, activity: reading(activity))
      case .screenTime(let account, let milliseconds):
        if let reading = reading(milliseconds) {
          _ = try await usage.count(.screenTime, in: account, reading, at: report.at)
        }
      case .rescanned: context.logger.info("events about programs were lost, and everything was looked at again")
      case .closed(let use, let deed, let reason, let matchers):
        try await refused.note(use, matchers, at: report.at)
        context.logger.notice(
          "closed",
          metadata: ["application": "\(use.app?.text ?? "an unknown program")", "how": "\(deed)", "why": "\(reason)"])
        context.changes.notify()
      case .warned(_, let app, let left):
        context.logger.notice(
          "closes soon",
          metadata: ["application": "\(app?.text ?? "an unknown program")", "minutes": "\((left + 59_999) / 60_000)"])
      case .inForce(let number):
        context.enforcementState.inForce(number, but: refusals)
        let refused = refusals.filter { !$0.kind.isNote }
        context.warn("agent-refused", refused.isEmpty ? nil : refused.prefix(3).map(\.sentence).joined(separator: " "))
        refusals = []
      case .refused(_, let fault):
        if refusals.count < Self.keptRefusals { refusals.append(fault) }
      case .clockSet(let milliseconds):
        context.logger.notice("the wall clock was set", metadata: ["milliseconds": "\(milliseconds)"])
        await context.tickHouseholdTime()
      case .slept(let milliseconds):
        context.logger.info("the machine slept", metadata: ["milliseconds": "\(milliseconds)"])
        context.enforcementState.sleep.told()
        context.changes.notify()
      case .ordersDamaged(let hasOlder):
        context.warn(
          "agent-orders",
          "The agent's orders were damaged or missing on the disk, and \(hasOlder ? "those before them" : "nothing") held until now: check the disk."
        )
      case .sessionsClosed(let account, let areEnded, let reason):
        context.logger.notice(
          areEnded ? "sessions were ended" : "sessions were locked",
          metadata: ["account": "\(account)", "why": "\(reason)"])
      case .logInRefused(let account, let reason):
        context.logger.notice("a log-in was refused", metadata: ["account": "\(account)", "why": "\(reason)"])
      case .sessionsWarned(let account, let left, let reason):
        context.logger.notice(
          "sessions close soon",
          metadata: ["account": "\(account)", "minutes": "\((left + 59_999) / 60_000)", "why": "\(reason)"])
      case .letThrough(let count):
        context.warn(
          "agent-gate",
          "Log-ins were let through although sessions may be closed, because the agent did not answer: look at its log with "
            + "`journalctl -u latchkey-agent`.")
        context.logger.warning("log-ins were let through", metadata: ["count": "\(count)"])
      case .senses(let hasSessions, let hasInput):
        context.enforcementState.sees(sessions: hasSessions, input: hasInput)
        Self.log(sessions: hasSessions, input: hasInput, context)
      case .unreadable(let account, let count):
        context.logger.warning(
          "programs could not be looked at and were killed", metadata: ["account": "\(account)", "count": "\(count)"])
      case .dropped(let count):
        context.logger.warning("reports of the agent were lost", metadata: ["count": "\(count)"])
      }
      context.agentCounters.count(report, of: hello.run) { [state = context.enforcementState] use in
        state.closedSince(use.app, in: use.account, at: report.at)
      }
      await context.tellChild(of: report)
      return true
    } catch {
      context.logger.error("a report of the agent could not be stored", metadata: ["reason": "\(error)"])
      return false
    }
  }

  // MARK: The end

  private func stop() async {
    // One that an earlier node started ends when its socket is gone.
    if program != nil { unlink(ownSocket) }
    guard let own else { return }
    own.send(signal: SIGTERM)
    await own.wait()
  }

  private func terminate(_ process: Int32) {
    if own?.pid == process { return }
    // Started by a node before this one: it is of this user, and the connection shows which it is.
    guard let start = ProcessLiveness.startTime(pid: process),
      let handle = ProcessHandle(ProcessIdentity(processID: process, startTime: start))
    else { return }
    handle.send(signal: SIGTERM)
  }
}
