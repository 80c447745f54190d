import LatchkeyModel
import LatchkeyProtocol
import LatchkeyStore

/// Two live machines with one key, seen from their peer and from themselves. Spec: Protocol/04-session.md §10.
extension PeerLink {
  /// Two live processes use the peer's identity: talk to neither until a person has decided.
  func quarantine(_ number: Int) async {
    let wall = context.wall()
    // Nothing flows from here on, also if the database refuses.
    record.quarantinedAt = wall
    logger.warning("two live machines use this device's keys; it is in quarantine")
    for other in sessions.keys where other != number { close(other, .duplicateIdentity) }
    do { try await context.store.quarantine(peer, at: wall) } catch {
      logger.error("the quarantine could not be kept", metadata: ["reason": "\(error)"])
    }
    lastError = nil
    context.changes.notify()
    context.syncChanges.notify()
  }

  /// Turn a device in quarantine away, and say why.
  func turnAway(_ number: Int, isInitiator: Bool) {
    if isInitiator { return close(number, .duplicateIdentity) }
    sendHello(number, refusal: .duplicateIdentity)
    close(number, nil)
  }

  /// The peer says that another machine uses this one's keys.
  func heardOfDuplicate() {
    lastError = "“\(record.device.name)” talks to nobody with this machine's keys, since another machine uses them too."
    context.warn(
      "duplicate-\(peer)",
      "Another machine uses this machine's keys, so “\(record.device.name)” turns both away: run `latchkey identity renew` on "
        + "the one that is the copy and pair it again, then `latchkey devices release` for the other on “\(record.device.name)”."
    )
  }
}
