import LatchkeyAgent
import LatchkeyAgentProtocol
import LatchkeyModel

/// Looking at processes.
///
/// Spec: Protocol/13-agent.md §10.
extension AgentRunner {
  /// The longest time for which events are read before everything else gets its turn, in milliseconds.
  private static let eventsMilliseconds: Int64 = 250
  /// The longest time for which a look at every process goes on before everything else gets its turn, in milliseconds.
  static let lookPartMilliseconds: Int64 = 20
  /// The longest time for which other processes are looked at before everything else gets its turn, in milliseconds.
  static let partMilliseconds: Int64 = 100
  /// The longest time for which large files are read before everything else gets its turn, in milliseconds.
  private static let filesMilliseconds: Int64 = 10

  /// Works out what is looked for, after new orders or with another node.
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
    // What was not needed was not read.
    if wanted.needs != needs { looker.forgetImages() }
  }

  /// Reads which files belong to the packages and paths that orders name; returns whether they are others than before.
  @discardableResult
  func loadFiles() -> Bool {
    looker.load(packages: machine.packages, paths: machine.paths, accounts: machine.supervisedAccounts)
  }

  /// Looks again for what orders name, some of which may be installed or removed by now.
  func reloadFiles() {
    if loadFiles() { checkMatchers() }
  }

  /// Looks again at what is wrong with matchers on this machine.
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

  /// Begins a look at every process, and does a part of it.
  func lookAtAll() {
    closing = machine.closing
    reportForks()
    killUnreadable()
    looker.begin(wanted, at: present())
    goOnLooking(for: Self.lookPartMilliseconds)
  }

  /// Goes on with a look at every process, for some milliseconds.
  ///
  /// A child can make that take long: nothing else waits for its end.
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

  /// Tells the node of the processes because of which the agent started anew.
  func tellUnreadable() {
    let now = present()
    for (account, count) in unreadable.kill(of: machine.supervisedAccounts, looker.subordinates).sorted(by: {
      $0.key < $1.key
    }) {
      perform(machine.cannotRead(UInt64(count), of: account, at: now), now)
    }
  }

  /// Kills what makes readers wait, and everything of an account that has several such processes.
  private func killUnreadable() {
    guard !unreadable.isEmpty else { return }
    let counts = unreadable.kill(of: machine.supervisedAccounts, looker.subordinates)
    // The agent of one user is one of the account's programs itself.
    guard settings.nodeUser != nil else { return }
    blinding = Set(counts.filter { $0.value >= UnreadableProcesses.mostOfAccount }.keys)
    for account in blinding { UnreadableProcesses.killAll(of: account, looker.subordinates) }
    // What waits for the child's file system does not end by that, and none of it is read.
    wanted.accounts = machine.supervisedAccounts.subtracting(blinding)
  }

  /// Reads a part of the large files whose SHA-256 is wanted, and looks again at what runs those that are done.
  func readFiles() {
    let done = looker.hashes.work(until: SystemClock.boot.milliseconds + Self.filesMilliseconds)
    guard !done.isEmpty else { return }
    if awaitsDigests { checkMatchers() }
    looker.look(atThoseWith: done, wanted, until: BootClock.now() + Self.partMilliseconds) { see($0) }
  }

  /// Looks again at programs that started a moment ago.
  func lookAtYoung() {
    let now = BootClock.now()
    for pid in young.due(at: now) {
      if let (facts, isNews) = looker.look(at: pid, wanted, now), isNews { see(facts) }
      // The others are seen by the next look at everything.
      if BootClock.now() - now >= Self.partMilliseconds { return }
    }
  }

  func see(_ facts: ProcessFacts) {
    let now = present()
    perform(machine.saw(facts, at: now), now)
    if !hasCopiesReported, machine.followsCopies { reportForks() }
  }

  /// Reads the kernel's events about processes, and looks at what has started; returns whether there was more than copies of
  /// processes that need no look.
  func readEvents() -> Bool {
    var hasMore = false
    // Bounded, so that the node is heard and signs of life are given in the middle of a storm of programs.
    let end = BootClock.now() + Self.eventsMilliseconds
    for _ in 0..<4_096 {
      guard let event = nextEvent() else { return hasMore }
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
        // The end of one that was killed is seen by its descriptor.
        if !machine.isKilled(facts.identity) { young.started(pid, at: now) }
      case .forked(let child, of: let parent):
        // What a program that is being closed starts without another program would be seen seconds later.
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

  /// Has the kernel report copies of processes while something closes or hands on what it is: each of them wakes the agent.
  func reportForks() {
    let isWanted = machine.followsCopies || !closing.isEmpty
    guard isWanted != hasCopiesReported else { return }
    hasCopiesReported = isWanted
    switch events {
    case .some(let events): events.reportForks(isWanted)
    case .none: break
    }
  }

  private func nextEvent() -> ProcessEvents.Event? {
    switch events {
    case .some(let events): events.next()
    case .none: nil
    }
  }
}
