import Glibc
import LatchkeyAgentProtocol
import LatchkeyModel
import LatchkeySystem

/// Waiting for events, in one call of poll(2).
extension AgentRunner {
  /// Waits for the node, the kernel, logind, gates and ends of programs, and serves what is ready.
  func wait(milliseconds: Int32) {
    var ready = [pollfd(fd: listener.descriptor, events: Int16(POLLIN), revents: 0)]
    let connection = connection
    ready.append(
      pollfd(
        fd: connection?.socket.descriptor ?? -1,
        events: Int16(POLLIN) | (connection?.hasWaiting == true ? Int16(POLLOUT) : 0), revents: 0))
    ready.append(pollfd(fd: eventsDescriptor, events: Int16(POLLIN), revents: 0))
    ready.append(pollfd(fd: presence?.descriptor ?? -1, events: Int16(POLLIN), revents: 0))
    let own = ready.count
    let watched = handles.descriptors
    ready += watched.map { pollfd(fd: $0.descriptor, events: Int16(POLLIN), revents: 0) }
    let frozen = jail?.descriptors ?? []
    ready += frozen.map { pollfd(fd: $0.descriptor, events: Int16(POLLPRI), revents: 0) }
    let asking = gate?.descriptors ?? []
    ready += asking.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
    let end = BootClock.now() + Int64(milliseconds)
    var left = milliseconds
    while true {
      guard poll(&ready, nfds_t(ready.count), left) > 0 else { return }
      // Only a copy of a process was reported. It is noted immediately, and nothing else is done.
      let isAlone = ready[2].revents != 0 && ready.indices.allSatisfy { $0 == 2 || ready[$0].revents == 0 }
      guard isAlone else { break }
      if readEvents() { return }
      left = Int32(clamping: end - BootClock.now())
      if left <= 0 { return }
    }
    let now = present()
    for (entry, ready) in zip(watched, ready.dropFirst(own)) where ready.revents != 0 {
      handles.forget(entry.process)
      perform(machine.ended(entry.process, at: now), now)
    }
    for (entry, ready) in zip(frozen, ready.dropFirst(own + watched.count)) where ready.revents != 0 {
      guard let jail, jail.hasLeft(entry.process) else { continue }
      let process = entry.process
      let isAlive = ProcessLiveness.isAlive(pid: process.processID, startTime: process.startTime)
      perform(isAlive ? machine.escaped(process, at: now) : machine.ended(process, at: now), now)
    }
    if ready.dropFirst(own + watched.count + frozen.count).contains(where: { $0.revents != 0 }) { answerGates() }
    if ready[2].revents != 0 { _ = readEvents() }
    if ready[1].revents != 0 { serve() }
    if ready[0].revents != 0 { accept() }
  }

  /// Updates what is seen of people, if the agent can see them.
  func sense() {
    guard let presence else { return }
    let seen = presence.look(at: BootClock.now())
    let now = present()
    perform(machine.sensed(seen, at: now), now)
  }

  /// The descriptor of the kernel's events; -1 without them.
  var eventsDescriptor: Int32 { events?.descriptor ?? -1 }

  /// Returns the present for the machine, after reporting a sleep or a change of the wall clock.
  ///
  /// Every instant that the machine is given comes from here. Otherwise its clocks would count a
  /// sleep that is reported later.
  @discardableResult
  func present() -> BootInstant {
    let reading = clocks.read()
    if let slept = reading.slept { perform(machine.slept(slept, at: reading.now), reading.now) }
    if let set = reading.set { perform(machine.clockWasSet(set, at: reading.now), reading.now) }
    return reading.now
  }
}

/// Carrying out the machine's effects, and answering log-in gates (Protocol/13-agent.md §9, §13).
extension AgentRunner {
  /// Carries out effects, in their order.
  func perform(_ effects: [AgentEffect], _ now: BootInstant) {
    for effect in effects {
      switch effect {
      case .ask(let process):
        noteClosing(process.processID)
        newLooks.closed()
        handles.signal(process, SIGTERM, seenAt: seenAt(process))
      case .kill(let process):
        noteClosing(process.processID)
        handles.signal(process, SIGKILL, seenAt: seenAt(process))
        if eventsDescriptor < 0 { newLooks.watch(from: now) }
      case .pause(let process):
        noteClosing(process.processID)
        newLooks.closed()
        if eventsDescriptor < 0 { newLooks.watch(from: now) }
        if jail?.freeze(process) != true { perform(machine.couldNotPause(process, at: now), now) }
      case .resume(let process): jail?.release(process)
      case .lockSessions(let account): sessions.lock(account)
      case .endSessions(let account): sessions.end(account, sparing: protected.processes)
      case .tell(let report):
        if case .began(let use, _, _) = report.event { handles.hold(use.process) }
        if connection?.isWelcome == true { send(.report(report)) }
        teller.tell(report, at: now) { machine.terms(of: $1, in: $0) }
      }
    }
  }

  /// Returns when the examination of a process began, if a program started in it last; otherwise
  /// `nil`.
  private func seenAt(_ process: ProcessIdentity) -> BootInstant? {
    lastStarted.flatMap { $0.process == process ? $0.at : nil }
  }

  /// Notes that a process is being closed, so that copies of it are examined as soon as they begin.
  func noteClosing(_ process: Int32) {
    let isFirst = closing.isEmpty
    if closing.count < 4_096 { closing.insert(process) }
    if isFirst {
      reportForks()
      // It may have been copied before.
      if eventsDescriptor >= 0 { newLooks.closed() }
    }
  }

  private func answerGates() {
    var effects: [AgentEffect] = []
    let now = present()
    gate?.serve { account in
      let (answer, told) = machine.mayLogIn(account, at: now)
      effects += told
      return answer
    }
    perform(effects, now)
  }

  /// Reports log-ins to the node that were let through while the agent did not answer.
  func takeNotes() {
    guard let count = gate?.takeNotes(), count > 0 else { return }
    let now = present()
    perform(machine.letThrough(count, at: now), now)
  }
}
