import Foundation
import LatchkeyModel
import LatchkeyProtocol
import LatchkeyRules
import LatchkeyStore

/// The events that people, the log and waiting callers are told of.
extension PeerLink {
  static func removalWarning(_ device: DeviceID) -> String { "removed-\(device)" }

  func tell(_ news: LinkNews) {
    switch news {
    case .opened(let number, let hello): opened(number, hello)
    case .kept: logger.debug("one of two sessions is kept")
    case .ended:
      logger.info("session ended")
      lastSeen = context.wall()
      context.members.set(peer, isConnected: current != nil)
      if current == nil { context.feed.post(ChangeEvent(.device, device: peer, change: "away")) }
      changed()
    case .moved: moved()
    case .stored(let position):
      storedThrough[position.streamClass] = position.through
      stored.notify()
      context.changes.notify()
    case .changed: context.syncChanges.notify()
    case .fault(let fault, _) where fault == .refused(.duplicateIdentity):
      logger.warning(
        "the peer refuses this machine: `latchkey status` shows what to do", metadata: ["reason": "\(fault)"])
    case .fault(let fault, _): logger.warning("session closed", metadata: ["reason": "\(fault)"])
    case .goodbye(let goodbye): logger.debug("goodbye", metadata: ["reason": "\(goodbye)"])
    case .turnedAway: warnOfDuplicate()
    case .quarantined:
      record.quarantinedAt = context.wall()
      logger.warning("two live machines use this device's keys; it is in quarantine")
      changed()
    case .restarting(let streamClass, let cause):
      storedThrough[streamClass] = nil
      logger.warning(
        "the other machine has a different history of this stream; restarting it",
        metadata: ["stream": "\(streamClass.word)", "cause": "\(cause)"])
    case .missed(let endpoint, let outcome):
      let reason = outcome.reason
      spawn { await $0.noteFailure(endpoint, reason) }
    case .removed:
      logger.notice("this device was removed by the peer")
      context.warn(
        Self.removalWarning(peer),
        (context.profile.role == .parent
          ? "“\(record.device.name)” left the family" : "“\(record.device.name)” removed this machine from the family")
          + " at \(ClockText.of(context.wall())). To add it again, run `latchkey pair` on both machines.")
    }
  }

  private func opened(_ number: Int, _ hello: Hello) {
    logger.info(
      "session open",
      metadata: ["address": "\(seats[number]?.connection.remote ?? "")", "dialled": "\(machine.isCurrentOurs)"])
    context.members.set(peer, isConnected: true)
    context.feed.post(ChangeEvent(.device, device: peer, change: "connected"))
    context.note(crowd: Int(clamping: hello.devices))
    context.warn("duplicate-\(peer)", nil)
    // Expired commands are not sent, and people who wait for them are told.
    context.expiryChanges.notify()
    changed()
  }

  private func warnOfDuplicate() {
    context.warn(
      "duplicate-\(peer)",
      "Another machine uses this machine's keys, so “\(record.device.name)” refuses both: run `latchkey identity renew` on the "
        + "copy and pair it again, then run `latchkey devices release` for the other machine on “\(record.device.name)”."
    )
  }

  /// Makes the results of a commit visible.
  func publish(_ result: InboxResult) {
    for fault in result.faults { logger.warning("an item could not be used", metadata: ["reason": "\(fault)"]) }
    if result.hasNewKeys {
      logger.notice("this device received new keys")
      context.discoveryKeyChanges.notify()
    }
    for parent in result.newParents {
      logger.notice("the child's machine is paired with another parent", metadata: ["name": "\(parent.name)"])
    }
    if result.appliedCommands + result.usageRecords + result.commands.count > 0 {
      logger.debug(
        "items committed",
        metadata: [
          "commands": "\(result.appliedCommands)", "usage": "\(result.usageRecords)",
          "receipts": "\(result.commands.count)",
        ])
    }
    if result.hasPendingEffects {
      context.effectChanges.notify()
      // An effect without a carrier expires.
      context.expiryChanges.notify()
    }
    if result.hasNewUse { context.useNews.notify() }
    if result.hasNewHousehold { context.householdNews.notify() }
    tell(of: result.newFacts)
    if !result.newFacts.isEmpty || result.appliedCommands + result.commands.count > 0 { context.factNews.notify() }
    context.changes.notify()
  }

  /// Writes what parents answered into the log of a child's machine.
  private func tell(of facts: [Fact]) {
    guard context.profile.role == .child else { return }
    for answer in facts.filter({ $0.kind == .answer }).compactMap({ RequestAnswer($0.text) }) {
      logger.notice(
        "a parent answered a request: `latchkey requests` shows it",
        metadata: ["answer": "\(answer.verdictText)", "word": "\(answer.word)"])
    }
  }

  private func changed() {
    context.changes.notify()
    context.factNews.notify()
    context.syncChanges.notify()
  }

  private func moved() {
    if look({ $0.current != nil && $0.waiting == 0 }) { lastSynced = context.wall() }
    context.syncChanges.notify()
  }

  // MARK: Status

  var sync: SyncState {
    // There is nothing to synchronize with a device that was removed or is in quarantine.
    if record.pendingKey == nil, record.state != .active || record.quarantinedAt != nil { return .idle }
    if current != nil {
      let (waiting, total) = (machine.waiting, machine.syncTotal)
      return waiting == 0
        ? .synced(at: lastSynced ?? context.wall()) : .syncing(done: total - min(waiting, total), total: total)
    }
    if machine.dialler.isDialling { return .connecting }
    guard let lastError else { return .idle }
    return .error(reason: lastError, nextTryInMilliseconds: nextTryInMilliseconds)
  }

  private var nextTryInMilliseconds: Int64? { machine.dialler.nextTry.map { max(0, $0 - context.now()) } }

  private var lastError: String? {
    switch machine.trouble {
    case nil: nil
    case .unreached(let outcome): outcome.reason
    case .fault(let fault): "The connection was closed because \(fault)."
    case .unheard: "The device has stopped responding: check that it is on and on this network."
    case .version: "The other machine's version is too old or too new: update the older one."
    case .turnedAway:
      "This machine was refused because another machine uses the same keys."
    case .disk(let text): text
    }
  }

  /// When the peer was last heard of, in Unix milliseconds; `nil` for never.
  var lastSeenAt: Int64? {
    if current != nil { return context.wall() }
    return [lastSeen, record.device.lastSeenAt].compactMap(\.self).max()
  }

  func status() async throws(StoreError) -> PeerStatus {
    var queues = try await context.store.queues(peer, at: context.wall())
    for index in queues.indices { queues[index].inFlightItems = Int64(machine.inFlight(queues[index].streamClass)) }
    var device = record.device
    device.lastSyncedAt = lastSynced
    device.lastSeenAt = lastSeenAt
    let isConnected = current != nil
    let addresses = try await addresses()
    return PeerStatus(
      device: device, isConnected: isConnected, address: addressInUse ?? addresses.first?.address, sync: sync,
      queues: queues,
      lastError: isConnected ? nil : lastError, marks: record.marks,
      retries: isConnected ? 0 : machine.dialler.failures,
      nextTryInMilliseconds: isConnected || machine.dialler.isDialling ? nil : nextTryInMilliseconds,
      addresses: addresses)
  }
}

enum ClockText {
  /// Returns a moment of Unix milliseconds on this machine's clock, such as `18:02 on 2026-11-22`.
  static func of(_ milliseconds: Int64) -> String {
    let style = Date.ISO8601FormatStyle(timeZone: .current)
    let text = Date(timeIntervalSince1970: Double(milliseconds) / 1_000).formatted(style)
    return "\(text.dropFirst(11).prefix(5)) on \(text.prefix(10))"
  }
}

/// The names of the two devices.
///
/// Spec: Protocol/04-session.md §3.
extension PeerLink {
  /// The names that the peer is told: that of this device and, on a parent's node, that of the
  /// peer.
  private var labels: SessionLabels {
    SessionLabels(
      own: context.label.at == nil ? nil : context.label,
      yours: context.profile.role == .parent && record.label.at != nil ? record.label : nil)
  }

  /// This device or the peer may be called something else.
  func named() {
    let (name, labels) = (context.name.text, labels)
    update { $0.named(name, labels, now: $1) }
  }

  /// Takes over what the peer says, durably, and has the rest of this node know.
  func take(_ labels: SessionLabels) async throws(StoreError) {
    let taken = try await context.store.take(labels, from: peer, calledHere: context.name, at: context.wall())
    if taken.isPeerRenamed {
      logger.notice("the peer has another name", metadata: ["name": "\(labels.own?.name.text ?? "")"])
      try await directory.refresh(peer)
    }
    if let label = taken.own {
      logger.notice("the peer gave this device another name", metadata: ["name": "\(label.name)"])
      await directory.renamed(label)
    }
  }
}
