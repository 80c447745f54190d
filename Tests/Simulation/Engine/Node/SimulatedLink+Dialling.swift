import LatchkeyModel
import LatchkeyProtocol

/// Keeping a session with the peer: dial, wait, dial again.
extension SimulatedLink {
  private enum Outcome {
    case served
    /// No connection came about.
    case unreachable
    case failed
    case silent
    /// The network has changed under the call.
    case void
  }

  func run() {
    guard !isEnded else { return }
    let (look, alive) = (wake.version, life.version)
    guard attempt == nil, !isCallingBeside, current == nil || replaceable != nil && replaceable != calledBeside else {
      return wake.wait(after: look) { [weak self] in
        guard let self else { return }
        // Whoever began it: two machines that cannot go on must not go round in a circle.
        guard current == nil, attempt == nil, !isCallingBeside, pace.hasFallenApart else { return run() }
        pause(pace.fellApart(jitter: simulation.jitter()), alive)
      }
    }
    guard isWorthCalling else { return wake.wait(after: look) { [weak self] in self?.run() } }
    calledBeside = current
    isDialling = true
    simulation.note(14, "\(name) dials")
    dial { [self] outcome in
      isDialling = false
      guard !isEnded else { return }
      let delay: Int64
      switch outcome {
      case .served: delay = pace.served(jitter: simulation.jitter())
      case .unreachable:
        delay = pace.failed(jitter: simulation.jitter(), isUnreachable: true, crowd: simulation.scenario.crowd)
      case .failed: delay = pace.failed(jitter: simulation.jitter())
      case .silent:
        delay = pace.failed(jitter: simulation.jitter())
        metSilence()
      case .void: delay = 0
      }
      guard current == nil else { return run() }
      pause(delay, alive)
    }
  }

  /// The present session, if it is in doubt and has shown no sign of life for so long that another may take its place.
  var replaceable: Int? { current.flatMap { sessions[$0]?.mayBeReplaced == true ? $0 : nil } }

  /// Nothing is heard of the present session: call the peer beside it. Who waits for the end of the peer's session does so;
  /// while one that we dialled is served, a second call is made.
  func callBeside() {
    guard isDialling else { return wake.notify() }
    guard let silent = replaceable, silent != calledBeside, !isCallingBeside, abandonCall == nil else { return }
    (calledBeside, isCallingBeside) = (silent, true)
    simulation.note(14, "\(name) dials beside session \(silent)")
    dial { [self] _ in
      isCallingBeside = false
      wake.notify()
    }
  }

  /// The session that was in doubt lives: the call beside it is of no use.
  func standDown() {
    calledBeside = nil
    abandonCall?()
  }

  /// Wait before the next try, less long when there was a sign of life since `alive`, but never in a tight circle.
  private func pause(_ delay: Int64, _ alive: Int) {
    let begun = node.now
    life.wait(after: alive, milliseconds: delay) { [weak self] in
      guard let self, !isEnded else { return }
      let rest = DialPace.shortest - (node.now - begun)
      node.act(after: max(0, rest) * 1_000) { [weak self] in self?.run() }
    }
  }

  private func dial(_ then: @escaping (Outcome) -> Void) {
    let (keys, offered) = (record.callingKeys, record.pendingKey)
    let places = simulation.nodes.filter { $0.device == peer }
    guard !places.isEmpty, let call = simulation.handshakes.call(node, peer, keys: keys) else { return then(.failed) }
    let place = places[simulation.random.below(places.count)]
    let life = node.life
    var isOver = false
    func over(_ outcome: Outcome) {
      guard !isOver else { return }
      (isOver, abandonCall) = (true, nil)
      then(outcome)
    }
    abandonCall = { [unowned node] in node.act(after: 0) { over(.void) } }
    let isKnown = { [unowned self] in knows(place) }
    simulation.network.dial(node, place, isKnown: isKnown) { [self] port in
      guard node.life == life, node.isRunning, !isOver else {
        port?.orphan()
        return
      }
      guard let port else { return node.act(after: 0) { over(.unreachable) } }
      abandonCall = { [unowned node] in
        node.act(after: 0) {
          guard !isOver else { return }
          port.abort()
          over(.void)
        }
      }
      port.onEnd = { over(.silent) }
      port.onFrame = { [self] frame in
        guard !isOver else { return }
        guard case .answer(let answer) = frame, let (sealing, key) = call.answered(answer) else {
          simulation.oracle.keysDiffer(self, port.connection)
          port.close()
          return over(.failed)
        }
        (isOver, abandonCall) = (true, nil)
        serve(port, sealing, isInitiator: true, pairwiseKey: keys[key], offeredKey: offered) { then(.served) }
      }
      node.act(after: 10_000_000) {
        guard !isOver else { return }
        port.abort()
        over(.failed)
      }
      port.send(call.first)
      port.connection.overheard.append(call.first)
      port.read()
    }
  }

  // MARK: Removal

  var isWorthCalling: Bool {
    guard !record.isQuarantined || record.pendingKey != nil else { return false }
    return record.state != .removedUntold || record.removalSessions > 0
      || record.removalSilences < Limits.removalCalls
  }

  /// The disk has taken the peer out: tell it if it is there.
  func removed() {
    let device = peer
    lastLook += 1
    let look = lastLook
    node.disk.read {
      $0.peer(device)
    } then: { [self] record in
      if let record { self.record = record }
      node.disk.read {
        $0.outboxPositions(device)
      } then: { [self] positions in
        if look == lastLook {
          restarts = []
          for streamClass in positions.keys.sorted() {
            guard let position = positions[streamClass],
              !outbox.statement.contains(where: { $0.streamClass == streamClass && $0.epoch == position.epoch })
            else { continue }
            outbox.restarted(streamClass, position)
          }
          outbox.drop(allBut: Set(positions.keys))
          // Nothing of it is taken any more, and a new pairing begins new streams.
          if simulation.fault != .keepClosedStreams { inbox = InboxMachine([]) }
        }
        node.refreshAll()
        signOfLife()
        signalOutbox()
      }
    }
  }

  private func metSilence() {
    guard record.state == .removedUntold else { return }
    let device = peer
    node.disk.commit("silence") {
      $0.removalMetSilence(device)
    } then: { [self] result in
      guard case .success(let silences) = result else { return }
      record.removalSilences = silences
      guard record.removalSessions > 0, silences >= Limits.removalSilences else { return }
      endRemoval {}
    }
  }

  /// A run was sent in a session: note the first of a removal.
  func noteRemovalSent(_ run: ItemRun, _ session: SimulatedSession, then: @escaping () -> Void) {
    guard record.state == .removedUntold, run.streamClass == .control, removalSession != session.number else {
      return then()
    }
    removalSession = session.number
    let device = peer
    node.disk.commit("removal sent") {
      $0.removalSent(device)
    } then: { [self] result in
      if case .success(let sessions) = result { (record.removalSessions, record.removalSilences) = (sessions, 0) }
      then()
    }
  }

  /// Whether a session is of a new pairing with a removed device, which the disk has not taken yet.
  func isOfNewPairing(_ session: SimulatedSession) -> Bool {
    record.state == .removedUntold && record.pendingKey == session.pairwiseKey
  }

  var hasHeardEnough: Bool {
    record.state == .removedUntold && record.pendingKey == nil && record.removalSessions >= Limits.removalSessions
  }

  /// The peer knows that it is removed, or counts as knowing.
  func endRemoval(then: @escaping () -> Void) {
    guard record.pendingKey == nil else { return then() }
    let device = peer
    node.disk.commit("removal told") {
      $0.removalTold(device)
    } then: { [self] result in
      guard case .success = result else { return then() }
      // What the disk holds now decides: meanwhile the device may have been paired anew, and then goes on.
      node.refresh(device, then: then)
    }
  }
}
