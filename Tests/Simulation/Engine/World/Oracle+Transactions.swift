import LatchkeyModel

/// The conditions that must hold after each transaction.
extension Oracle {
  /// Checks a transaction that has become durable.
  func committed(_ node: SimulatedNode, _ before: ModelStore, with peer: DeviceID?) {
    let after = node.store
    for place in after.peers.indices where peer == nil || after.peers[place].device == peer {
      let present = after.peers[place]
      let old = before.peers.indices.contains(place) ? before.peers[place] : nil
      checkOutgoing(node, present, old)
      if present.state == .removed, !present.outgoing.isEmpty || !present.incoming.isEmpty {
        simulation.fail("\(node.name) holds streams with \(simulation.name(present.device)), which is removed")
      }
    }
    if scenario.registers { checkFacts(node, before) }
    if after.effects.count > before.effects.count { checkEffects(node, before) }
    if after.outcomes.count > before.outcomes.count { checkOutcomes(node, before) }
    if scenario.locks, node.role == .parent, let peer { checkLocks(node, peer, before) }
    // A session with the key of a half-made pairing proves that it is final, and its use is
    // accepted at once.
    let states = peer.map { peer in [before, after].map { $0.peer(peer)?.state } } ?? []
    if after.usage.count > before.usage.count, node.role == .parent, let peer,
      !states.contains(where: { $0 == .active || $0 == .pending })
    {
      simulation.fail("\(node.name) took usage from \(simulation.name(peer)), which it had removed")
    }
  }

  private func checkOutgoing(_ node: SimulatedNode, _ present: ModelPeer, _ old: ModelPeer?) {
    for (streamClass, stream) in present.sending {
      let word = "\(node.name)→\(simulation.name(present.device)) \(streamClass.word)"
      if stream.waitingItems != Int64(stream.items.count) { simulation.fail("\(word): items are counted wrong") }
      let caps = streamClass == .receipt ? node.store.receiptCaps : scenario.caps
      if streamClass != .control, !stream.wasRestarted,
        stream.waitingItems > caps.items || stream.waitingBytes > caps.bytes
      {
        simulation.fail("\(word): \(stream.waitingItems) items and \(stream.waitingBytes) bytes are over the cap")
      }
      guard let before = old?.outgoing[streamClass], before.epoch == stream.epoch else {
        if stream.wasRestarted, !past(couple(node.device, present.device)).mayRestart {
          simulation.fail("\(word) was begun anew though nobody was set back")
        }
        continue
      }
      noteWithdrawn(node, present, before, stream)
      if stream.storedThrough > before.storedThrough {
        checkForgotten(node, present, streamClass, before, through: stream.storedThrough)
      }
    }
  }

  private func noteWithdrawn(
    _ node: SimulatedNode, _ present: ModelPeer, _ before: ModelPeer.Outgoing, _ after: ModelPeer.Outgoing
  ) {
    guard scenario.setsBack else { return }
    let left = Set(after.items.map(\.itemID))
    for item in before.items where item.sequence > after.storedThrough && !left.contains(item.itemID) {
      withdrawn[Couple(parent: node.device, child: present.device), default: []].insert(item.itemID)
    }
  }

  /// Checks that items which the sender deletes are durably in force at the receiver.
  private func checkForgotten(
    _ node: SimulatedNode, _ peer: ModelPeer, _ streamClass: StreamClass, _ before: ModelPeer.Outgoing, through: UInt64
  ) {
    let couple = couple(node.device, peer.device)
    let word = "\(node.name)→\(simulation.name(peer.device)) \(streamClass.word)"
    guard let receiver = simulation.node(peer.device), !cloned.contains(node.device), !cloned.contains(peer.device)
    else { return }
    let there = receiver.store.peer(node.device)
    guard let held = there?.incoming[streamClass], held.epoch == before.epoch, held.watermark >= through else {
      // A receiver that was restored meanwhile, or has closed its streams, had the item when it
      // said so.
      if !past(couple).mayRestart, there?.state == .active, there?.pairing == peer.pairing {
        simulation.fail("\(word): number \(through) was forgotten before it was in force")
      }
      return
    }
    // A receiver that was restored since the session began had the item when it said so. Its next
    // Hello names another item.
    if let setBack = setBackAt[peer.device], setBack >= openedAt[node.device]?[peer.device] ?? 0 { return }
    for item in before.items where item.sequence <= through && !isInForce(item, at: receiver) {
      if past(couple).hasUnnoticedNumbers { return }
      // The item was withdrawn in a past that its sender has lost: Protocol/05-delivery.md §8.
      if past(couple).isSetBack,
        withdrawn[Couple(parent: node.device, child: peer.device)]?.contains(item.itemID) == true
      {
        pasts[couple, default: CouplePast()].hasUnnoticedNumbers = true
        return
      }
      simulation.fail("\(word): number \(item.sequence) was forgotten and is not in force")
    }
  }

  func isInForce(_ item: ModelItem, at receiver: SimulatedNode) -> Bool {
    switch item.kind {
    case .command: CommandID(bytes: item.itemID).map { receiver.store.receipts[$0] != nil } ?? true
    case .usageRecord: RecordID(bytes: item.itemID).map { receiver.store.usage[$0] != nil } ?? true
    case .usageLoss: RecordID(bytes: item.itemID).map { receiver.store.losses[$0] != nil } ?? true
    default: true
    }
  }

  private func checkEffects(_ node: SimulatedNode, _ before: ModelStore) {
    for effect in node.store.effects.dropFirst(before.effects.count) {
      let author = simulation.name(effect.author)
      // A command whose effect was pending when the pairing ended is executed anew in the next
      // pairing.
      if before.effects.contains(where: { $0.id == effect.id && $0.pairing == effect.pairing }) {
        simulation.fail("a command of \(author) took effect twice on \(node.name)")
      }
      // A session with the key of a half-made pairing proves that it is final, and its items are
      // accepted at once.
      let states = [before, node.store].map { $0.peer(effect.author)?.state }
      if !states.contains(where: { $0 == .active || $0 == .pending }) {
        simulation.fail("a command of \(author) took effect on \(node.name), which had removed it")
      }
      let couple = Couple(parent: effect.author, child: node.device)
      guard !past(couple).isSetBack, let parent = simulation.node(effect.author),
        let command = parent.store.commands.first(where: { $0.id == effect.id })
      else { continue }
      let last = lastOrder[couple].flatMap { $0.pairing == effect.pairing ? $0.order : nil } ?? -1
      if !past(couple).mayRestart, command.order <= last {
        simulation.fail("commands of \(author) took effect on \(node.name) in another order than they were given")
      }
      lastOrder[couple] = (effect.pairing, command.order)
    }
  }

  /// Checks that an effect has one outcome.
  private func checkOutcomes(_ node: SimulatedNode, _ before: ModelStore) {
    // A restored or copied machine has only the outcomes of its present past.
    for outcome in node.store.outcomes.dropFirst(before.outcomes.count) where before.outcomes.contains(outcome) {
      simulation.fail("an effect on \(node.name) was carried out twice")
    }
  }

  /// Checks that a command counts as executed once its effect has an outcome, and not before.
  private func checkLocks(_ node: SimulatedNode, _ peer: DeviceID, _ before: ModelStore) {
    guard let child = simulation.node(peer), setBackAt[peer] == nil, !cloned.contains(peer) else { return }
    let known = Dictionary(before.commands.map { ($0.id, $0.status) }) { first, _ in first }
    for command in node.store.commands
    where command.status == .executed && known[command.id] != .executed
      && child.store.pending.contains(where: { $0.id == command.id })
    {
      simulation.fail("a command of \(node.name) counts as executed while its effect on \(child.name) is under way")
    }
  }

  /// Checks that commands have expired no earlier than they may.
  func expired(_ node: SimulatedNode, _ ids: [CommandID]?) {
    for id in ids ?? [] {
      guard let issued = issuedAt[id], let target = node.store.commands.first(where: { $0.id == id })?.target,
        !past(Couple(parent: node.device, child: target)).isSetBack
      else { continue }
      let lifetime = issued.lifetime ?? Limits.oneShotMilliseconds
      if lifetime == 0 {
        simulation.fail("\(node.name): a command expired that never does")
      } else if node.trueAge - issued.at < lifetime {
        simulation.fail("\(node.name): a command expired after \(node.trueAge - issued.at) of \(lifetime) ms")
      }
    }
  }
}
