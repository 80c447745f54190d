import LatchkeyAgentProtocol
import LatchkeyModel
import LatchkeySystem

/// Scanning processes (Protocol/13-agent.md §10).
extension AgentRunner {
  /// The longest time spent on reading events before other work gets its turn, in milliseconds.
  private static let eventsMilliseconds: Int64 = 250
  /// The longest time spent on a part of a full scan before other work, in milliseconds.
  static let lookPartMilliseconds: Int64 = 20
  /// The longest time spent on other scans before other work gets its turn, in milliseconds.
  static let partMilliseconds: Int64 = 100
  /// The longest time spent on reading large files before other work, in milliseconds.
  private static let filesMilliseconds: Int64 = 10

  /// Prepares scans for new orders or another node.
  func prepareLooking() {
    let accounts = machine.supervisedAccounts
    let needs = wanted.needs
    wanted = ProcessLooker.Wanted(
      accounts: accounts, needs: Dictionary(uniqueKeysWithValues: accounts.map { ($0, machine.needs(of: $0)) }),
      protected: protected.processes, protectedFiles: protected.files,
      protectedPaths: settings.nodeUser == nil ? protected.paths : [])
    if wanted.needs.values.contains(where: { $0.contains(.arguments) }) {
      for orders in machine.orders?.accounts ?? [] where accounts.contains(orders.account) {
        wanted.names[orders.account] =
          orders.name.isEmpty ? SystemAccounts.entry(numbered: orders.account)?.name : orders.name
      }
    }
    // Facts that were not needed before have not been read.
    if wanted.needs != needs { looker.forgetImages() }
  }

  /// Reads the files of packages and paths that orders name; returns whether they have changed.
  @discardableResult
  func loadFiles() -> Bool {
    looker.load(packages: machine.packages, paths: machine.paths, accounts: machine.supervisedAccounts)
  }

  /// Reads the files that orders name again, since some may have been installed or removed.
  func reloadFiles() { if loadFiles() { checkMatchers() } }

  private func checkMatchers() {
    let now = present()
    var here = MatchersHere()
    let effects = machine.programsChanged(at: now) { here.fault(of: $0, &looker.hashes) }
    awaitsDigests = here.awaitsDigests
    guard !effects.isEmpty else { return }
    prepareLooking()
    loadFiles()
    perform(effects, now)
  }

  /// Begins a full scan, and carries out a part of it.
  func lookAtAll() {
    closing = machine.closing
    reportForks()
    killUnreadable()
    looker.begin(wanted, at: present())
    goOnLooking(for: Self.lookPartMilliseconds)
  }

  /// Continues a full scan for some milliseconds.
  ///
  /// A child can make a scan take long, so no other work waits for its end.
  func goOnLooking(for milliseconds: Int64) {
    guard let found = looker.goOn(wanted, until: BootClock.now() + milliseconds, see: { see($0) }) else { return }
    let now = present()
    perform(machine.looked(present: found.present, since: found.began, at: now), now)
    if !hasLooked {
      hasLooked = true
      perform(machine.sawFrozen(), now)
    }
    if wereEventsLost {
      wereEventsLost = false
      perform(machine.rescanned(at: now), now)
    }
  }

  /// Looks at the processes that orders name and that were not seen so far, and reports those that
  /// have ended to the node.
  func lookAtMissing() {
    for process in machine.missing {
      let now = present()
      if let (facts, _) = looker.lookAtStart(of: process.processID, wanted, now), facts.identity == process {
        see(facts)
      } else if !ProcessLiveness.isAlive(pid: process.processID, startTime: process.startTime) {
        perform(machine.gone(process, at: now), now)
      }
    }
  }

  /// Reports to the node the processes whose unreadable files made the agent restart.
  func tellUnreadable() {
    let now = present()
    for (account, count) in unreadable.kill(of: machine.supervisedAccounts, looker.subordinates).sorted(by: {
      $0.key < $1.key
    }) {
      perform(machine.cannotRead(UInt64(count), of: account, at: now), now)
    }
  }

  /// Kills processes that make readers wait, and everything in an account with several of them.
  private func killUnreadable() {
    guard !unreadable.isEmpty else { return }
    let counts = unreadable.kill(of: machine.supervisedAccounts, looker.subordinates)
    // A single-user agent is itself one of the account's programs.
    guard settings.nodeUser != nil else { return }
    blinding = Set(counts.filter { $0.value >= UnreadableProcesses.mostOfAccount }.keys)
    for account in blinding { UnreadableProcesses.killAll(of: account, looker.subordinates) }
    // One that waits for the child's file system does not end by this. Its files are not read.
    wanted.accounts = machine.supervisedAccounts.subtracting(blinding)
  }

  /// Reads a part of the large files whose SHA-256 is wanted, and examines their processes again.
  func readFiles() {
    let done = looker.hashes.work(until: SystemClock.boot.milliseconds + Self.filesMilliseconds)
    guard !done.isEmpty else { return }
    if awaitsDigests { checkMatchers() }
    looker.look(atThoseWith: done, wanted, until: BootClock.now() + Self.partMilliseconds) { see($0) }
  }

  /// Examines the programs again that started a moment ago.
  func lookAtYoung() {
    let now = BootClock.now()
    for pid in young.due(at: now) {
      if let (facts, isNews) = looker.look(at: pid, wanted, now), isNews { see(facts) }
      // The next full scan sees the others.
      if BootClock.now() - now >= Self.partMilliseconds { return }
    }
  }

  func see(_ facts: ProcessFacts) {
    let now = present()
    perform(machine.saw(facts, at: now), now)
    if !hasCopiesReported, machine.followsCopies { reportForks() }
  }

  /// Reads the kernel's events about processes, and examines the programs that have started.
  ///
  /// Returns `false` if there were only copies of processes that need no examination.
  func readEvents() -> Bool {
    var hasMore = false
    // Bounded, so that the node is served and signs of life are sent in a storm of programs.
    let end = BootClock.now() + Self.eventsMilliseconds
    for _ in 0..<4_096 {
      guard let event = events?.next() else { return hasMore }
      switch event {
      case .started(let pid):
        hasMore = true
        if !blinding.isEmpty, let owner = UnreadableProcesses.account(of: pid, looker.subordinates),
          blinding.contains(owner)
        {
          UnreadableProcesses.kill(pid, of: owner, looker.subordinates)
          continue
        }
        let now = BootClock.now()
        guard let (facts, _) = looker.lookAtStart(of: pid, wanted, now) else {
          if looker.isBetweenPrograms(pid) { young.started(pid, at: now) }
          continue
        }
        lastStarted = (facts.identity, now)
        see(facts)
        // The descriptor of a killed process signals its end.
        if !machine.isKilled(facts.identity) { young.started(pid, at: now) }
      case .forked(let child, of: let parent):
        // A program that is being closed may copy itself without starting another program.
        // Otherwise its copies would be seen only seconds later.
        machine.forked(child, of: parent)
        guard closing.contains(parent) else { continue }
        hasMore = true
        noteClosing(child)
        if let (facts, _) = looker.lookAtStart(of: child, wanted, BootClock.now()) { see(facts) }
      case .lost:
        (hasMore, wereEventsLost) = (true, true)
        lookAtAll()
      }
      if BootClock.now() >= end { return true }
    }
    return true
  }

  /// Has the kernel report copies only while a program closes or passes on its application.
  ///
  /// Each report wakes the agent.
  func reportForks() {
    let isWanted = machine.followsCopies || !closing.isEmpty
    guard isWanted != hasCopiesReported else { return }
    hasCopiesReported = isWanted
    events?.reportForks(isWanted)
  }
}
