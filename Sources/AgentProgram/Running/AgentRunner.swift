import Glibc
import LatchkeyAgent
import LatchkeyAgentProtocol
import LatchkeyModel

/// The agent's process: one thread that looks, obeys and reports until its socket is removed.
///
/// Spec: Protocol/13-agent.md §1, §9, §10.
public final class AgentRunner {
  /// The time between two looks at all processes without events, in milliseconds.
  static let lookMilliseconds: Int64 = 1_000
  /// The time between two looks at new processes without events, in milliseconds, and for how long they follow a kill:
  /// what was closed is often started again at once.
  private static let newMilliseconds: Int64 = 200
  private static let watchfulMilliseconds: Int64 = 10_000
  /// The time between two looks with events, in milliseconds.
  static let lookWithEventsMilliseconds: Int64 = 5_000
  /// The shortest time between two moments at which something is due, in milliseconds: what falls between is done together.
  private static let restMilliseconds: Int64 = 20
  /// The longest time for which events are read before everything else gets its turn, in milliseconds.
  private static let eventsMilliseconds: Int64 = 250
  /// The time within which the event of the agent's own probe must come, in milliseconds.
  private static let probeMilliseconds: Int32 = 2_000
  /// The difference of clocks from which on the machine slept, or the wall clock was set, in milliseconds.
  private static let sleptMilliseconds: Int64 = 2_000
  private static let setMilliseconds: Int64 = 60_000

  private let settings: AgentSettings
  private let store: OrdersStore
  private let boot: String
  private let run: UInt64
  private let listener: LocalSocket
  private let place: FileMark?
  private let lock: Int32
  private var machine: AgentMachine
  /// The orders that hold and could not be made durable; `nil` if there are none.
  private var unkept: AgentOrders?
  private var looker = ProcessLooker()
  private var connection: NodeConnection?
  private var events: ProcessEvents?
  /// What sees people; `nil` for the agent of one user, which counts whatever runs.
  private let presence: PresenceLooker?
  private var handles: [ProcessIdentity: HeldHandle] = [:]
  private var protected = ProtectedProcesses()
  /// The programs that are looked at again soon.
  private var young = YoungPrograms()
  /// The numbers of processes that were asked to end or killed since the last look at everything.
  private var closing: Set<Int32> = []
  /// The most programs of which a descriptor is held; files must be left for looking at all others.
  private let mostHandles: Int
  /// Until when new processes are looked at more often; `nil` if nothing was killed.
  private var watchfulUntil: BootInstant?
  private let jail: ProcessJail?
  private let gate: GateListener?
  private var sessions = SessionCloser()
  private var lastOffset: (wall: Int64, awake: Int64)
  private var teller = TerminalTeller()
  private var signs = SignsOfLife(ServiceManager.ofThisProcess())

  /// A handle in a collection.
  private final class HeldHandle {
    let handle: ProcessHandle
    init?(_ process: ProcessIdentity) {
      guard let handle = ProcessHandle(process) else { return nil }
      self.handle = handle
    }
  }

  /// Opens the socket and the orders.
  ///
  /// - Throws: `AgentStartFault`, whose sentence says what to do.
  public init(_ settings: AgentSettings) throws(AgentStartFault) {
    self.settings = settings
    store = OrdersStore(path: settings.orders)
    umask(0o077)
    OpenFiles.raiseLimit()
    mostHandles = min(1_024, Int(clamping: sysconf(Int32(_SC_OPEN_MAX))) / 2)
    if settings.nodeUser != nil, geteuid() != 0 {
      throw AgentStartFault("Only root can be the system's agent: leave out --node-user.", exitStatus: 77)
    }
    // A program that it closes must not end it, and neither must a node that has gone.
    _ = Glibc.signal(SIGPIPE, SIG_IGN)
    guard let boot = BootID.current() else {
      throw AgentStartFault("The kernel does not say which boot this is: mount /proc.", exitStatus: 71)
    }
    self.boot = boot
    lock = open(settings.orders + ".lock", O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard lock >= 0 else {
      throw AgentStartFault(
        "\(settings.orders).lock cannot be written (\(String(cString: strerror(errno)))): check the folder's rights.",
        exitStatus: 73)
    }
    guard flock(lock, LOCK_EX | LOCK_NB) == 0 else {
      throw AgentStartFault("An agent with these orders runs already: leave it to do its work.", exitStatus: 75)
    }
    // The system's agent is found by the node of another user; each connection is checked.
    if settings.nodeUser != nil { umask(0o111) }
    guard let listener = LocalSocket.listen(at: settings.socket) else {
      throw AgentStartFault(
        "\(settings.socket) cannot be listened at (\(String(cString: strerror(errno)))): check the folder's rights.",
        exitStatus: 73)
    }
    umask(0o077)
    self.listener = listener
    place = ProcFile.status(settings.socket).map(FileMark.init)
    run = UInt64(SystemClock.boot.microseconds)
    jail = settings.jail.flatMap { ProcessJail(folder: $0) }
    gate = settings.gate.flatMap { GateListener(path: $0, notes: GateNotes(besides: settings.orders)) }
    machine = AgentMachine(
      abilities: AgentAbilities(
        onlyAccount: settings.nodeUser == nil ? UInt32(geteuid()) : nil, canPause: jail != nil,
        canCloseSessions: gate != nil, nodeAccount: settings.nodeUser))
    machine.found(frozen: jail?.processes ?? [])
    lastOffset = Self.offsets()
    presence = settings.nodeUser == nil ? nil : PresenceLooker(at: BootClock.now())
    if settings.nodeUser != nil { events = Self.openEvents() }
  }

  deinit { close(lock) }

  /// Runs until the socket is removed from its place.
  public func work() {
    let found = store.load()
    let now = BootClock.now()
    if found.isDamaged { perform(machine.foundDamage(hasOlder: found.orders != nil, at: now), now) }
    if let orders = found.orders { take(orders, isKept: true) }
    lookAtAll()
    perform(machine.sawFrozen(), BootClock.now())
    takeNotes()
    var lastLook = BootClock.now()
    var lastNewLook = lastLook
    var lastTimer = lastLook
    signs.begin(at: lastLook)
    while true {
      signs.give(at: BootClock.now())
      sense()
      let pause = events == nil ? Self.lookMilliseconds : Self.lookWithEventsMilliseconds
      var due = lastLook + pause
      if watchfulUntil.map({ $0 > lastNewLook }) == true { due = min(due, lastNewLook + Self.newMilliseconds) }
      if let next = young.next { due = min(due, next) }
      if let timer = machine.nextTimer(after: lastTimer) {
        due = min(due, max(timer, lastTimer + Self.restMilliseconds))
      }
      if let sign = signs.due { due = min(due, sign) }
      if let question = presence?.nextQuestion() { due = min(due, question) }
      wait(milliseconds: Int32(clamping: max(0, due - BootClock.now())))
      compareClocks(BootClock.now())
      lookAtYoung()
      if BootClock.now() - lastLook >= pause {
        guard ProcFile.status(settings.socket).map({ isOwn($0) }) == true else { return }
        lastLook = BootClock.now()
        loadFiles()
        lookAtAll()
        takeNotes()
        keepAgain()
        lastNewLook = lastLook
      } else if let watchfulUntil, watchfulUntil > lastNewLook, BootClock.now() - lastNewLook >= Self.newMilliseconds {
        lastNewLook = BootClock.now()
        looker.lookAtNew(wanted, at: lastNewLook) { see($0) }
      }
      let now = BootClock.now()
      if now - lastTimer >= Self.restMilliseconds, let timer = machine.nextTimer(after: lastTimer), timer <= now {
        lastTimer = now
        sense()
        perform(machine.timerFired(at: now), now)
      }
    }
  }

  private func isOwn(_ status: stat) -> Bool {
    place.map { $0.inode == UInt64(status.st_ino) && $0.device == UInt64(status.st_dev) } ?? false
  }

  // MARK: Waiting

  private func wait(milliseconds: Int32) {
    var ready = [pollfd(fd: listener.descriptor, events: Int16(POLLIN), revents: 0)]
    let connection = connection
    ready.append(
      pollfd(
        fd: connection?.socket.descriptor ?? -1,
        events: Int16(POLLIN) | (connection?.hasWaiting == true ? Int16(POLLOUT) : 0), revents: 0))
    ready.append(pollfd(fd: eventsDescriptor, events: Int16(POLLIN), revents: 0))
    ready.append(pollfd(fd: presence?.descriptor ?? -1, events: Int16(POLLIN), revents: 0))
    let own = ready.count
    let watched = Array(handles)
    ready += watched.map { pollfd(fd: $0.value.handle.descriptor, events: Int16(POLLIN), revents: 0) }
    let frozen = jail?.descriptors ?? []
    ready += frozen.map { pollfd(fd: $0.descriptor, events: Int16(POLLPRI), revents: 0) }
    let asking = gate?.descriptors ?? []
    ready += asking.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
    guard poll(&ready, nfds_t(ready.count), milliseconds) > 0 else { return }
    let now = BootClock.now()
    // Before anything counts time in which the machine slept.
    compareClocks(now)
    for (entry, ready) in zip(watched, ready.dropFirst(own)) where ready.revents != 0 {
      handles[entry.key] = nil
      perform(machine.ended(entry.key, at: now), now)
    }
    for (entry, ready) in zip(frozen, ready.dropFirst(own + watched.count)) where ready.revents != 0 {
      guard let jail, jail.hasLeft(entry.process) else { continue }
      let process = entry.process
      let isAlive = ProcessLiveness.isAlive(pid: process.processID, startTime: process.startTime)
      perform(isAlive ? machine.escaped(process, at: now) : machine.ended(process, at: now), now)
    }
    if ready.dropFirst(own + watched.count + frozen.count).contains(where: { $0.revents != 0 }) { answerGates() }
    if ready[2].revents != 0 { readEvents() }
    if ready[1].revents != 0 { serve(ready[1].revents) }
    if ready[0].revents != 0 { accept() }
  }

  /// Looks for people, if the agent can.
  private func sense() {
    guard let presence else { return }
    let seen = presence.look(at: BootClock.now())
    machine.sensed(seen, at: BootClock.now())
  }

  private var eventsDescriptor: Int32 {
    switch events {
    case .some(let events): events.descriptor
    case .none: -1
    }
  }

  // MARK: The node

  private func accept() {
    // Bounded, so that many connections in a row do not delay the other work for long.
    for _ in 0..<16 {
      guard let socket = listener.accept() else { return }
      guard let peer = socket.peer, isNode(peer.user) else { continue }
      protected.connected(node: peer.process)
      connection = NodeConnection(socket, peer)
      let hello = AgentHello(
        run: run, isSystem: settings.nodeUser != nil, hasEvents: eventsDescriptor >= 0,
        hasSessions: presence?.hasSessions ?? false, hasInput: presence?.hasInput ?? false, user: UInt32(geteuid()),
        boot: boot,
        orders: machine.ordersInForce)
      send(.hello(hello))
    }
  }

  private func isNode(_ user: UInt32) -> Bool {
    if let nodeUser = settings.nodeUser { return user == nodeUser || user == 0 }
    return user == geteuid()
  }

  private func serve(_ ready: Int16) {
    guard let connection else { return }
    guard connection.flush(), let frames = connection.receive() else {
      self.connection = nil
      return
    }
    for frame in frames {
      let now = BootClock.now()
      switch frame {
      case .welcome(let welcome):
        connection.isWelcome = true
        perform(machine.connected(stored: welcome.run == run ? welcome.stored : 0, at: now), now)
      case .orders(let orders) where connection.isWelcome: take(orders, isKept: false)
      case .stored(let number) where connection.isWelcome: machine.stored(number)
      case .hello, .orders, .report, .stored:
        self.connection = nil
        return
      }
    }
  }

  private func send(_ frame: AgentFrame) {
    guard let connection, !connection.send(frame) else { return }
    self.connection = nil
  }

  private func take(_ orders: AgentOrders, isKept: Bool) {
    let fault = isKept ? nil : store.keep(orders)
    unkept = fault == nil ? nil : orders
    if let fault { Self.say(fault) }
    let now = BootClock.now()
    let effects = machine.received(orders, boot: boot, isKept: fault == nil, at: now) {
      // The account that the agent runs as exists, also where no list of accounts names it, as in a container.
      $0 == geteuid() || getpwuid($0) != nil
    }
    loadFiles()
    looker.forgetImages()
    perform(effects, now)
    if !isKept { lookAtAll() }
  }

  /// Tries again to make orders durable, if that failed.
  private func keepAgain() {
    guard let orders = unkept, store.keep(orders) == nil else { return }
    unkept = nil
    let now = BootClock.now()
    perform(machine.kept(at: now), now)
  }

  // MARK: Processes

  private var wanted: ProcessLooker.Wanted {
    let accounts = machine.supervisedAccounts
    return ProcessLooker.Wanted(
      accounts: accounts, hashed: accounts.filter { machine.needsHashes(of: $0) }, protected: protected.processes,
      protectedFiles: protected.files)
  }

  private func loadFiles() {
    looker.load(packages: machine.packages, paths: machine.paths, accounts: machine.supervisedAccounts)
  }

  private func lookAtAll() {
    closing = []
    let present = looker.look(wanted, at: BootClock.now()) { see($0) }
    let now = BootClock.now()
    perform(machine.looked(present: present, at: now), now)
  }

  private func lookAtYoung() {
    let now = BootClock.now()
    for pid in young.due(at: now) {
      if let (facts, isNews) = looker.look(at: pid, wanted, now), isNews { see(facts) }
    }
  }

  private func see(_ facts: ProcessFacts) {
    let now = BootClock.now()
    perform(machine.saw(facts, at: now), now)
  }

  private func readEvents() {
    // Bounded, so that the node is heard and signs of life are given in the middle of a storm of programs.
    let end = BootClock.now() + Self.eventsMilliseconds
    for _ in 0..<4_096 {
      guard BootClock.now() < end, let event = nextEvent() else { return }
      switch event {
      case .started(let pid):
        let now = BootClock.now()
        guard let (facts, _) = looker.lookAtStart(of: pid, wanted, now) else { continue }
        see(facts)
        young.started(pid, at: now)
      case .forked(let child, of: let parent):
        // What a program that is being closed starts without another program would be seen seconds later.
        guard closing.contains(parent) else { continue }
        noteClosing(child)
        if let (facts, _) = looker.lookAtStart(of: child, wanted, BootClock.now()) { see(facts) }
      case .lost:
        lookAtAll()
        let now = BootClock.now()
        perform(machine.rescanned(at: now), now)
      }
    }
  }

  private func nextEvent() -> ProcessEvents.Event? {
    switch events {
    case .some(let events): events.next()
    case .none: nil
    }
  }

  private static func openEvents() -> ProcessEvents? {
    guard let events = ProcessEvents(), events.deliver(probe, within: probeMilliseconds) else { return nil }
    return events
  }

  /// Starts a program that does nothing, and returns its number.
  private static func probe() -> Int32? {
    var pid: pid_t = 0
    var words: [UnsafeMutablePointer<CChar>?] = [strdup("true"), nil]
    defer { for word in words { free(word) } }
    guard posix_spawn(&pid, "/bin/true", nil, nil, &words, nil) == 0 else { return nil }
    var status: Int32 = 0
    while waitpid(pid, &status, 0) < 0, errno == EINTR {}
    return pid
  }

  // MARK: Effects

  private func perform(_ effects: [AgentEffect], _ now: BootInstant) {
    for effect in effects {
      switch effect {
      case .ask(let process):
        noteClosing(process.processID)
        signal(process, SIGTERM)
      case .kill(let process):
        noteClosing(process.processID)
        signal(process, SIGKILL)
        if eventsDescriptor < 0 { watchfulUntil = now + Self.watchfulMilliseconds }
      case .pause(let process):
        if jail?.freeze(process) != true { perform(machine.couldNotPause(process, at: now), now) }
      case .resume(let process): jail?.release(process)
      case .lockSessions(let account): sessions.lock(account)
      case .endSessions(let account): sessions.end(account, sparing: protected.processes)
      case .tell(let report):
        if case .began(let use, _, _) = report.event, handles[use.process] == nil, handles.count < mostHandles {
          handles[use.process] = HeldHandle(use.process)
        }
        if connection?.isWelcome == true { send(.report(report)) }
        teller.tell(report, at: now) { machine.reason(of: $1, in: $0) }
      }
    }
  }

  /// Notes a process whose children are looked at as soon as they begin.
  private func noteClosing(_ process: Int32) {
    if closing.count < 4_096 { closing.insert(process) }
  }

  private func signal(_ process: ProcessIdentity, _ number: Int32) {
    if let held = handles[process] {
      held.handle.send(signal: number)
    } else if let handle = ProcessHandle(process) {
      handle.send(signal: number)
    }
  }

  // MARK: Log-ins

  private func answerGates() {
    var effects: [AgentEffect] = []
    let now = BootClock.now()
    gate?.serve { account in
      let (answer, told) = machine.mayLogIn(account, at: now)
      effects += told
      return answer
    }
    perform(effects, now)
  }

  /// Tells the node of log-ins that were let through while the agent did not answer.
  private func takeNotes() {
    guard let count = gate?.takeNotes(), count > 0 else { return }
    let now = BootClock.now()
    perform(machine.letThrough(count, at: now), now)
  }

  // MARK: Clocks

  private static func offsets() -> (wall: Int64, awake: Int64) {
    let boot = SystemClock.boot.milliseconds
    return (SystemClock.wall.milliseconds - boot, SystemClock.awake.milliseconds - boot)
  }

  private func compareClocks(_ now: BootInstant) {
    let offset = Self.offsets()
    let slept = lastOffset.awake - offset.awake
    let set = offset.wall - lastOffset.wall
    if slept >= Self.sleptMilliseconds {
      perform(machine.slept(slept, at: now), now)
      lastOffset.awake = offset.awake
    }
    if abs(set) >= Self.setMilliseconds {
      perform(machine.clockWasSet(set, at: now), now)
      lastOffset.wall = offset.wall
    }
  }

  static func say(_ sentence: String) {
    AgentProgram.write("latchkey-agent: \(sentence)\n", to: STDERR_FILENO)
  }
}

/// The reason why an agent cannot start.
public struct AgentStartFault: Error, Hashable, Sendable {
  /// A sentence with the next step.
  public let sentence: String
  /// The status to exit with, of sysexits(3).
  public let exitStatus: Int32

  init(_ sentence: String, exitStatus: Int32) {
    self.sentence = sentence
    self.exitStatus = exitStatus
  }
}
