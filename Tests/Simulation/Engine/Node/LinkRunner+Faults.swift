import LatchkeyModel
import LatchkeyProtocol

/// The deliberate mistakes of the machine's interpreter.
///
/// Each changes an input, an effect, or stored data. Without a fault, these functions do nothing.
extension LinkRunner {
  /// Runs after each input of the machine.
  func spoil(_ before: LinkMachine) {
    switch simulation.fault {
    case .keepBackoff:
      // A sign of life: the failed tries are forgotten.
      guard before.current == nil, before.attempt == nil, case .pausing = machine.dialler.phase,
        case .pausing = before.dialler.phase
      else { break }
      (machine.dialler.pace, machine.dialler.phase) = (before.dialler.pace, before.dialler.phase)
    case .keepReceivedAtNewSession:
      guard machine.current != before.current else { break }
      var lossy = before.inbox
      if lossy.nextCommit() != nil { _ = lossy.committed([]) }
      machine.inbox = lossy
    case .forgetPendingAtEnd:
      if machine.endedSessions > before.endedSessions { machine.notes.stored = [:] }
    case .neverDeclareDead:
      for number in machine.sessions.keys { machine.sessions[number]?.rules.isHeard(now: node.now) }
    default: break
    }
  }

  /// Returns a received batch as it is passed to the machine.
  func spoiled(_ batch: SessionBatch, _ number: Int) -> SessionBatch {
    var batch = batch
    switch simulation.fault {
    case .ignoreWindow:
      batch.hello?.windowItems = 4_096
      batch.hello?.windowBytes = 4 << 20
    case .takeGaps:
      var probe = machine.inbox
      for place in batch.runs.indices {
        do { _ = try probe.received(batch.runs[place]) } catch {
          guard let first = batch.runs[place].items.first?.sequence, first > 1 else { continue }
          batch.runs[place].items.insert(DeliveryItem(skipping: 1...(first - 1)), at: 0)
        }
      }
    default: break
    }
    return batch
  }

  /// Returns the streams as they are passed to the machine.
  func spoiled(_ streams: LinkStreams) -> LinkStreams {
    guard simulation.fault == .keepClosedStreams else { return streams }
    var streams = streams
    streams.inbox = machine.inbox.statement
    streams.outbox = machine.outbox.positions
    return streams
  }

  /// Returns the runs in force as they are passed to the machine: with the mistake, as the same
  /// numbers of a newer epoch.
  ///
  /// A false report to the peer alone would do no lasting harm: the resulting gap ends the session,
  /// and the next Hello is correct.
  func spoiled(_ runs: [ItemRun]) -> [ItemRun] {
    guard simulation.fault == .reportOldEpochAsNew else { return runs }
    return runs.map { run in
      guard let stated = machine.inbox.statement.first(where: { $0.streamClass == run.streamClass }),
        stated.epoch != run.epoch, let last = run.items.last
      else { return run }
      let items = [DeliveryItem(skipping: 1...last.skipThrough)]
      return ItemRun(streamClass: run.streamClass, epoch: stated.epoch, items: items)
    }
  }

  /// Returns a note as it is passed to the disk.
  func spoiled(_ note: LinkNote) -> LinkNote {
    guard simulation.fault == .discardByOlderCall, case .opened(let sighting, .nothing, let isInStep) = note,
      machine.standing.pendingKey != nil, node.role == .child
    else { return note }
    return .opened(sighting, .refutes, isInStep: isInStep)
  }

  /// Runs before the machine decides on a Hello.
  func prepareToJudge(_ number: Int, _ hello: Hello) {
    switch simulation.fault {
    case .keepNewerSession:
      var probe = machine.roster
      guard probe.greeted(number, runID: hello.runID, ended: hello.endedSessions) == .giveWay,
        let other = machine.current ?? machine.attempt, let seat = seats[number]
      else { break }
      simulation.oracle.keeps(self, seat.port.connection, insteadOf: seats[other]?.port.connection)
      update { machine, _ in machine.close(other, .duplicate) }
    case .quarantineAtFirstReturn:
      if !machine.standing.isQuarantined, machine.standing.state == .active,
        simulation.oracle.hasReturned(self, hello.runID)
      {
        machine.watch.suspect(hello.runID, now: node.now)
      }
    default: break
    }
  }

  func spoilAfterSending(_ run: ItemRun) {
    guard simulation.fault == .forgetWhatIsSent, let last = run.items.last else { return }
    let position = StreamPosition(streamClass: run.streamClass, epoch: run.epoch, through: last.skipThrough)
    update { machine, _ in machine.forget(position) }
  }

  func spoilBeforeCommit(_ runs: [ItemRun]) {
    guard simulation.fault == .acknowledgeBeforeCommit, let current else { return }
    var ahead = machine.inbox
    let stored = ahead.committed(runs)
    update { machine, _ in machine.send(SessionBatch(stored: stored), on: current) }
  }

  /// Applies the deliberate faults after runs were brought into force in the session that was open
  /// when their commit began.
  func spoilAfterCommit(_ machine: inout LinkMachine, in began: Int?) {
    guard simulation.fault == .reportInOldSession, machine.current != began else { return }
    machine.effects.removeAll { if case .send(let batch, _) = $0 { !batch.stored.isEmpty } else { false } }
  }
}
