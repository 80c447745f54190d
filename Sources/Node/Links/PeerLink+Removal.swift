import LatchkeyModel
import LatchkeyProtocol
import LatchkeyStore

/// Telling a device that it was removed, and not for ever. Spec: Protocol/06-messages.md §7.
extension PeerLink {
  /// The key of the warning that a device has removed this one.
  static func removalWarning(_ device: DeviceID) -> String { "removed-\(device)" }

  /// Whether to dial: not a device in quarantine, nor one that was removed and has answered every call with silence.
  var isWorthCalling: Bool {
    guard record.quarantinedAt == nil || record.pendingKey != nil else { return false }
    return record.state != .removedUntold || record.removalSessions > 0
      || record.removalSilences < Limits.removalCalls
  }

  /// The database has taken the peer out: tell it if it is there, else when it next calls.
  func removed() async {
    lastLook += 1
    let look = lastLook
    do {
      if let record = try await context.store.peers().first(where: { $0.device.deviceID == peer }) {
        self.record = record
      }
      let positions = try await context.store.outboxPositions(peer)
      // A later look has seen more.
      if look == lastLook {
        // Streams that were closed are of the past; what is left is the one that carries the removal.
        restarts = []
        let known = outbox.statement
        for (streamClass, position) in positions
        where !known.contains(where: { $0.streamClass == streamClass && $0.epoch == position.epoch }) {
          outbox.restarted(streamClass, position)
        }
        outbox.drop(allBut: Set(positions.keys))
        // Nothing of it is taken any more, and a new pairing begins new streams.
        inbox = InboxMachine([])
      }
      // Whoever stays got new keys in the transaction of the removal.
      try await context.reloadHousehold()
      try await directory.refreshAll()
    } catch {
      logger.error("the removal could not be prepared", metadata: ["reason": "\(error)"])
    }
    signOfLife()
    signalOutbox()
  }

  /// A call was met with silence. Whoever was sent its removal and says nothing since has taken it.
  func metSilence() async {
    guard record.state == .removedUntold else { return }
    do {
      record.removalSilences = try await context.store.removalMetSilence(peer)
      guard record.removalSessions > 0, record.removalSilences >= Limits.removalSilences else { return }
      try await endRemoval("it is silent since it was sent its removal")
    } catch { logger.error("a silence could not be noted", metadata: ["reason": "\(error)"]) }
  }

  /// A run was sent in a session: note the first of a removal.
  func noteRemovalSent(_ run: ItemRun, _ number: Int) async {
    guard record.state == .removedUntold, run.streamClass == .control, removalSession != number else { return }
    removalSession = number
    do {
      record.removalSessions = try await context.store.removalSent(peer)
      record.removalSilences = 0
    } catch { logger.error("a removal could not be noted as sent", metadata: ["reason": "\(error)"]) }
  }

  /// Whether a session is of a new pairing with a removed device, which the disk has not taken yet: the removal, which ends
  /// the pairing before, is not for it.
  func isOfNewPairing(_ session: LinkSession) -> Bool {
    record.state == .removedUntold && record.pendingKey == session.pairwiseKey
  }

  /// Whether a new session with a removed device is one too many: it was sent its removal often enough, and is not being paired
  /// anew.
  var hasHeardEnough: Bool {
    record.state == .removedUntold && record.pendingKey == nil && record.removalSessions >= Limits.removalSessions
  }

  /// The peer knows that it is removed, or counts as knowing: erase the last keys and end.
  ///
  /// Nothing while a new pairing with it is under way, which decides what becomes of it.
  func endRemoval(_ reason: String) async throws(StoreError) {
    guard record.pendingKey == nil else { return }
    logger.info("the removal counts as told", metadata: ["reason": "\(reason)"])
    try await context.store.removalTold(peer)
    // What the database holds now decides: while it was asked the device may have been paired anew, and then goes on.
    try await directory.refresh(peer)
    try await context.reloadHousehold()
    context.changes.notify()
  }

  var isDone: Bool { isEnded }
}
