import LatchkeyModel
import LatchkeyProtocol

/// The machine's requests to the disk.
///
/// A crash may occur between any two disk operations.
extension LinkRunner {
  func judge(_ number: Int, _ hello: Hello) {
    let device = peer
    node.disk.read {
      $0.foreign(device, hello)
    } then: { [weak self] foreign in
      self?.seats[number]?.foreign = foreign
      self?.prepareToJudge(number, hello)
      self?.update { $0.judged(number, foreign: foreign, now: $1) }
    }
  }

  func readStreams() {
    let device = peer
    node.disk.read {
      $0.streams(with: device)
    } then: { [weak self] streams in
      guard let self else { return }
      let told = spoiled(streams)
      update { $0.streamsRead(told, now: $1) }
    }
  }

  // MARK: Out

  func load(_ load: OutboxMachine.Load) {
    give(load) { [weak self] items in
      guard let self else { return }
      guard let items else { return update { $0.loadFailed(load, ModelStoreFault.diskFull.asFault, now: $1) } }
      simulation.note(13, "\(name) loaded \(items.count) of \(load.streamClass.word) from \(load.from)")
      let before = machine.sentThrough[load.streamClass] ?? 0
      let number = current
      update { $0.loaded(load, items, now: $1) }
      guard let number, number == current, machine.sentThrough[load.streamClass] ?? 0 > before, let seat = seats[number]
      else { return }
      let run = ItemRun(streamClass: load.streamClass, epoch: load.epoch, items: items)
      simulation.oracle.sent(self, run, seat)
      spoilAfterSending(run)
    }
  }

  /// Answers a load, after making durable what it depends on; `nil` if the disk refused.
  private func give(_ load: OutboxMachine.Load, then: @escaping ([DeliveryItem]?) -> Void) {
    let device = peer
    let from = simulation.fault == .takeGaps ? simulation.oracle.furthest(self, load) : load.from
    node.disk.read {
      $0.load(device, load.streamClass, epoch: load.epoch, from: from, items: load.items, bytes: load.bytes)
    } then: { [weak self] result in
      guard let self else { return }
      func again(_ result: Result<Void, ModelStoreFault>) {
        guard case .success = result else { return then(nil) }
        give(load, then: then)
      }
      switch result {
      case .loaded(let items): then(items)
      case .hasExpired:
        let wall = node.wall
        node.disk.commit("expire before a load") {
          $0.expireDue(at: wall)
        } then: { [weak self] result in
          guard let self else { return }
          simulation.oracle.expired(node, try? result.get())
          again(result.map { _ in () })
        }
      case .isNotBound:
        node.disk.commit("bind", with: device) {
          $0.bind(device, load.streamClass, epoch: load.epoch, from: load.from, items: load.items)
        } then: {
          again($0)
        }
      }
    }
  }

  // MARK: In

  func commit(_ runs: [ItemRun], in sessionKey: [UInt8]?) {
    simulation.oracle.gathers(self, runs)
    let began = current
    spoilBeforeCommit(runs)
    let (device, role, wall) = (peer, role, node.wall)
    let words = runs.map(\.streamClass.word).joined(separator: ", ")
    node.disk.commit("receive \(words)", with: device) {
      (store: inout ModelStore) throws(ModelStoreFault) in
      try store.receive(runs, from: device, role: role, in: sessionKey, at: wall)
    } then: { [self] result in
      // Items in force must be reported to others, even if the link has ended meanwhile.
      switch result {
      case .failure(.diskFull) where mayBeParted(runs):
        commitInParts(Self.parts(runs)[...], of: runs, in: sessionKey, began)
      case .failure(let fault): refused(runs, fault, in: began)
      case .success(let result) where simulation.fault == .watermarkInItsOwnTransaction:
        node.disk.commit("watermark alone", with: device) {
          $0.advanceAlone(runs, from: device)
        } then: { [self] _ in
          committed(runs, result, in: began)
        }
      case .success(let result): committed(runs, result, in: began)
      }
    }
  }

  private func mayBeParted(_ runs: [ItemRun]) -> Bool {
    runs.reduce(0) { $0 + $1.items.count } > 1
      && ![.ignoreFailedCommit, .endWrongSession].contains(simulation.fault)
  }

  /// Returns two parts of each run if it has enough items; the real store has more and smaller
  /// parts.
  private static func parts(_ runs: [ItemRun]) -> [ItemRun] {
    runs.flatMap { run in
      let half = max(1, run.items.count / 2)
      return [run.items.prefix(half), run.items.dropFirst(half)].filter { !$0.isEmpty }.map { items in
        var part = run
        part.items = Array(items)
        return part
      }
    }
  }

  /// Stores the items that a full disk has space for, part by part, and accumulates the parts in
  /// force in `taken`.
  private func commitInParts(
    _ parts: ArraySlice<ItemRun>, taken: (parts: [ItemRun], result: ModelInboxResult) = ([], ModelInboxResult()),
    of runs: [ItemRun], in sessionKey: [UInt8]?, _ began: Int?
  ) {
    guard let part = parts.first, !taken.result.wasRemoved else { return committed(runs, taken.result, in: began) }
    let (device, role, wall) = (peer, role, node.wall)
    node.disk.commit("receive a part of \(part.streamClass.word)", with: device) {
      (store: inout ModelStore) throws(ModelStoreFault) -> ModelInboxResult in
      try store.receive([part], from: device, role: role, in: sessionKey, at: wall)
    } then: { [self] result in
      switch result {
      case .success(let result):
        var taken = taken
        taken.parts.append(part)
        taken.result.add(result)
        commitInParts(parts.dropFirst(), taken: taken, of: runs, in: sessionKey, began)
      case .failure(let fault):
        guard !taken.parts.isEmpty, simulation.fault != .forgetParts else { return refused(runs, fault, in: began) }
        committed(taken.parts, taken.result, butFor: fault, in: began)
      }
    }
  }

  private func refused(_ runs: [ItemRun], _ fault: ModelStoreFault, in began: Int?) {
    if simulation.fault == .ignoreFailedCommit { return committed(runs, ModelInboxResult(), in: began) }
    if simulation.fault == .endWrongSession, current != began {
      return update { machine, _ in machine.inbox.commitFailed() }
    }
    update { $0.commitFailed(fault.asFault, now: $1) }
  }

  /// Handles the end of a commit of runs; `fault` is the reason why only a part is in force.
  private func committed(
    _ runs: [ItemRun], _ result: ModelInboxResult, butFor fault: ModelStoreFault? = nil, in began: Int?
  ) {
    func goOn() {
      let own = result.changes.filter { $0.device == peer }
      let told = spoiled(runs)
      update { machine, now in
        if let fault {
          machine.commitFailed(fault.asFault, inForce: told, now: now)
        } else {
          machine.committed(told, wasRemoved: result.wasRemoved, now: now)
        }
        for change in own {
          machine.committed(
            change.streamClass, epoch: change.epoch, last: change.last, items: change.items, now: now)
        }
        spoilAfterCommit(&machine, in: began)
      }
      if result.hasCompletedPairing { node.committed(node.store.controlToParents()) }
      node.carryOutEffects()
      if result.hasNewFacts || result.changes.contains(where: { $0.streamClass == .receipt }) { node.pointsNews() }
      let others = result.changes.filter { $0.device != peer }
      guard result.wasRemoved else { return node.committed(others) }
      node.refresh(peer) { [node] in node.handOut(others) }
    }
    // The peer uses new keys once it learns that they are stored, so they must be known here by
    // then.
    if result.hasNewKeys { node.refresh(peer, then: goOn) } else { goOn() }
  }

  // MARK: Notes

  func note(_ note: LinkNote) {
    let device = peer
    switch spoiled(note) {
    case .quarantine:
      node.disk.commit("quarantine", with: device) {
        $0.quarantine(device)
      } then: { [weak self] result in
        if self?.noted(result) != nil { self?.node.refresh(device) { [weak self] in self?.done() } }
      }
    case .forget(let position):
      node.disk.commit("forget \(position.streamClass.word) through \(position.through)", with: device) {
        (store: inout ModelStore) throws(ModelStoreFault) in
        try store.forget(device, position)
      } then: { [weak self] result in
        guard let self, let stored = noted(result) else { return }
        guard stored.hasNewKeys else { return done(.stored(hasNewKeys: false)) }
        node.refresh(device) { [weak self] in
          if let change = stored.change { self?.node.committed([change]) }
          self?.done(.stored(hasNewKeys: true))
        }
      }
    case .restart(let streamClass, let cause):
      let epoch = simulation.freshEpoch()
      node.disk.commit("restart \(streamClass.word), \(cause)", with: device) {
        (store: inout ModelStore) throws(ModelStoreFault) in
        try store.restart(device, streamClass, epoch: epoch, cause: cause)
      } then: { [weak self] result in
        if let position = self?.noted(result) { self?.done(.restarted(position)) }
      }
    case .keyNamed(let keyID):
      node.disk.commit("key named", with: device) {
        $0.peer(device, answersWith: keyID)
      } then: { [weak self] result in
        guard let self, let isErased = noted(result) else { return }
        if isErased { node.refresh(device) { [weak self] in self?.done() } } else { done() }
      }
    case .opened(_, .completes, _):
      node.disk.commit("promote by a session", with: device) { (store: inout ModelStore) throws(ModelStoreFault) in
        try store.promote(device)
      } then: { [weak self] result in
        guard let self, noted(result) != nil else { return }
        node.refresh(device) { [weak self] in
          guard let self else { return }
          node.committed(node.store.controlToParents())
          done()
        }
      }
    case .opened(_, .refutes, _):
      simulation.oracle.discards(self)
      node.disk.commit("discard a pairing", with: device) {
        $0.discardPending(device)
      } then: { [weak self] result in
        if self?.noted(result) != nil { self?.node.refresh(device) { [weak self] in self?.done() } }
      }
    case .opened(_, .nothing, _): keep("seen") { _ in }
    case .inStep: keep("in step") { _ in }
    case .setBack: keep("set back") { _ in }
    case .labels: keep("labels") { _ in }
    case .told(let endpoints):
      let place = endpoints.first?.place
      keep("told") { _ in
      } then: { [weak self] in
        self?.node.remembered[device, default: ([], nil)].told = place
      }
    case .removalSent: count("removal sent") { $0.removalSent(device) }
    case .removalMetSilence: count("silence") { $0.removalMetSilence(device) }
    case .removalTold:
      node.disk.commit("removal told", with: device) {
        $0.removalTold(device)
      } then: { [weak self] result in
        // The present state of the disk decides: if the device was paired again, the link
        // continues.
        if self?.noted(result) != nil { self?.node.refresh(device) { [weak self] in self?.done() } }
      }
    }
  }

  private func done(_ answer: LinkNoteAnswer = .done) { update { $0.noted(answer, now: $1) } }

  private func keep(
    _ what: String, _ body: @escaping (inout ModelStore) -> Void, then: @escaping () -> Void = {}
  ) {
    node.disk.commit(what, with: peer) {
      body(&$0)
    } then: { [weak self] result in
      guard let self, noted(result) != nil else { return }
      then()
      done()
    }
  }

  private func count(_ what: String, _ body: @escaping (inout ModelStore) -> Int) {
    node.disk.commit(what, with: peer) {
      body(&$0)
    } then: { [weak self] result in
      if let count = self?.noted(result) { self?.done(.count(count)) }
    }
  }

  /// Returns the result of a note.
  ///
  /// If the disk refused it, the machine is told, and the result is `nil`.
  private func noted<Value>(_ result: Result<Value, ModelStoreFault>) -> Value? {
    switch result {
    case .success(let value): return value
    case .failure(let fault):
      update { $0.noteFailed(fault.asFault, now: $1) }
      return nil
    }
  }
}

extension ModelStoreFault {
  var asFault: LinkFault { LinkFault(isOfDisk: isOfDisk, text: "\(self)") }
}
