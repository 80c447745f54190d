import Glibc
import LatchkeyAgentProtocol
import LatchkeyModel
import LatchkeySystem

/// The agent's process: one thread that scans, enforces and reports until its socket is removed
/// (Protocol/13-agent.md §1, §9, §10).
final class AgentRunner {
  /// The time between two full scans without events, in milliseconds.
  static let lookMilliseconds: Int64 = 1_000
  private static let lookWithEventsMilliseconds: Int64 = 5_000
  /// The shortest time between two wake-ups for work that is due, in milliseconds.
  ///
  /// Work that falls between them is done together.
  private static let restMilliseconds: Int64 = 20
  /// The longest time that the first scan may take before the agent reports that it is ready, in
  /// milliseconds.
  private static let firstLookMilliseconds: Int64 = 500

  let settings: AgentSettings
  let store: OrdersStore
  var lineages: LineageStore
  let boot: String
  let run: UInt64
  let listener: LocalSocket
  private let place: FileMark?
  private let lock: Int32
  var machine: AgentMachine
  /// The orders in force that could not be written to the disk.
  var unkept: AgentOrders?
  /// The mark of the machine's file of accounts when the orders arrived.
  var accountsMark: Int64 = 0
  /// A Boolean value that indicates whether a matcher may name a needed program whose SHA-256 is
  /// not known yet.
  var awaitsDigests = false
  var looker = ProcessLooker()
  var connection: NodeConnection?
  var events: ProcessEvents?
  /// The detector of people at the machine.
  ///
  /// `nil` for a single-user agent, which counts each program while it runs.
  let presence: PresenceLooker?
  var handles: HeldHandles
  var protected = ProtectedProcesses()
  var wanted = ProcessLooker.Wanted(accounts: [], needs: [:], protected: [], protectedFiles: [])
  /// The programs that have just started, each of which is examined again soon.
  var young = YoungPrograms()
  /// The processes whose files block every reader.
  var unreadable: UnreadableProcesses
  /// The accounts with so many of these processes that all their processes are killed.
  var blinding: Set<UInt32> = []
  /// The process in which a program started last, and when its examination began.
  var lastStarted: (process: ProcessIdentity, at: BootInstant)?
  /// A Boolean value that indicates whether the kernel reports copies of processes (`fork`).
  var hasCopiesReported = false
  /// The numbers of processes that were asked to end, frozen or killed since the last full scan, or
  /// are still closing.
  var closing: Set<Int32> = []
  var newLooks = NewLooks(at: BootClock.now())
  /// A Boolean value that indicates whether a full scan has been completed since the agent started.
  var hasLooked = false
  /// A Boolean value that indicates whether the present full scan makes up for lost events.
  var wereEventsLost = false
  let jail: ProcessJail?
  let gate: GateListener?
  var sessions = SessionCloser()
  var clocks = ClockOffsets()
  var teller = TerminalTeller(language: MachineLanguage.read())
  private var signs = SignsOfLife(ServiceManager.ofThisProcess())

  /// Opens the socket and the orders.
  ///
  /// `unreadable` are the processes whose files blocked the agent before it executed itself anew.
  ///
  /// - Throws: `AgentStartFault`, whose sentence says what to do.
  init(_ settings: AgentSettings, unreadable: [Int32]) throws(AgentStartFault) {
    self.settings = settings
    self.unreadable = UnreadableProcesses(unreadable)
    store = OrdersStore(path: settings.orders)
    umask(0o077)
    OpenFiles.raiseLimit()
    handles = HeldHandles()
    if settings.nodeUser != nil, geteuid() != 0 {
      throw AgentStartFault(sentence: "Only root can be the system's agent: leave out --node-user.", exitStatus: 77)
    }
    // Neither a program that the agent closes nor a node that has gone may end the agent.
    _ = Glibc.signal(SIGPIPE, SIG_IGN)
    guard let boot = BootID.current() else {
      throw AgentStartFault(sentence: "The kernel does not say which boot this is: mount /proc.", exitStatus: 71)
    }
    self.boot = boot
    lineages = LineageStore(besides: settings.socket, boot: boot)
    lock = open(settings.orders + ".lock", O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard lock >= 0 else {
      throw AgentStartFault(
        sentence: "\(settings.orders).lock cannot be written (\(SystemError.reason())): check the folder's rights.",
        exitStatus: 73)
    }
    guard flock(lock, LOCK_EX | LOCK_NB) == 0 else {
      throw AgentStartFault(
        sentence: "An agent with these orders runs already: leave it to do its work.", exitStatus: 75)
    }
    // The system agent's socket must be open to a node of another user. Each connection is checked.
    if settings.nodeUser != nil { umask(0o111) }
    guard let listener = LocalSocket.listen(at: settings.socket) else {
      throw AgentStartFault(
        sentence: "\(settings.socket) cannot be listened at (\(SystemError.reason())): check the folder's rights.",
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
    machine.found(inherited: lineages.load())
    presence = settings.nodeUser == nil ? nil : PresenceLooker(at: BootClock.now())
    if settings.nodeUser != nil { events = .tested() }
  }

  deinit { close(lock) }

  /// Runs until its socket is removed.
  func work() {
    let found = store.load()
    let now = present()
    if found.isDamaged { perform(machine.foundDamage(hasOlder: found.orders != nil, at: now), now) }
    if let orders = found.orders { take(orders, isKept: true) }
    tellUnreadable()
    lookAtAll()
    if looker.isLooking { goOnLooking(for: Self.firstLookMilliseconds) }
    takeNotes()
    var lastLook = BootClock.now()
    var lastTimer = lastLook
    var lastYoung = lastLook
    var nextRelease = lastLook + ResidentMemory.settledMilliseconds
    signs.begin(at: lastLook)
    while true {
      signs.give(at: BootClock.now())
      sense()
      let pause = events == nil ? Self.lookMilliseconds : Self.lookWithEventsMilliseconds
      var due = lastLook + pause
      if let next = newLooks.due { due = min(due, next) }
      if let next = lineages.due(machine.inheritedChanges) { due = min(due, next) }
      if let next = young.next { due = min(due, max(next, lastYoung + Self.restMilliseconds)) }
      if let timer = machine.nextTimer(after: lastTimer) {
        due = min(due, max(timer, lastTimer + Self.restMilliseconds))
      }
      if let sign = signs.due { due = min(due, sign) }
      if let question = presence?.nextQuestion() { due = min(due, question) }
      let isBusy = looker.hashes.hasWork || looker.isLooking
      wait(milliseconds: isBusy ? 0 : Int32(clamping: max(0, due - BootClock.now())))
      if looker.isLooking { goOnLooking(for: Self.lookPartMilliseconds) }
      if looker.hashes.hasWork { readFiles() }
      present()
      if BootClock.now() - lastYoung >= Self.restMilliseconds {
        lastYoung = BootClock.now()
        lookAtYoung()
      }
      if BootClock.now() - lastLook >= pause, !looker.isLooking {
        guard ProcFile.status(settings.socket).map({ isOwn($0) }) == true else { return }
        lastLook = BootClock.now()
        newLooks.begin(at: lastLook)
        reloadFiles()
        lookAtAccounts()
        lookAtAll()
        keepLate()
        takeNotes()
        if nextRelease <= lastLook {
          ResidentMemory.release()
          nextRelease = lastLook + ResidentMemory.pauseMilliseconds
        }
      } else if let due = newLooks.due, due <= BootClock.now() {
        newLooks.begin(at: BootClock.now())
        let isDone = looker.lookAtNew(wanted, until: BootClock.now() + Self.partMilliseconds) { see($0) }
        // A child could hide a process by starting many others. The next scan begins with the
        // processes that this one did not reach.
        if !isDone { newLooks.closed() }
      }
      let now = present()
      lineages.keep(machine.inheritedChanges, at: now) { machine.inherited }
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

  static func say(_ sentence: String) { AgentProgram.write("latchkey-agent: \(sentence)\n", to: STDERR_FILENO) }
}

struct AgentStartFault: Error, Hashable, Sendable {
  /// A sentence with the next step.
  let sentence: String
  /// The status to exit with, of sysexits(3).
  let exitStatus: Int32
}
