import Glibc
import LatchkeyAgentProtocol
import LatchkeyModel
import LatchkeySystem

/// Carrying out the machine's effects, and answering log-in gates.
///
/// Spec: Protocol/13-agent.md §9, §13.
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

  func answerGates() {
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
