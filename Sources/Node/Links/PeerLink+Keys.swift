import LatchkeyModel
import LatchkeyProtocol
import LatchkeyStore
import LatchkeyWire

/// Keys that take the place of others. Spec: Protocol/04-session.md §9, Protocol/06-messages.md §8.
extension PeerLink {
  /// The peer has stored the keys that were on their way to it, and so they are in force here, durably: go on with them.
  func takeNewKeys(_ next: OutboxChange?) async throws(StoreError) {
    logger.notice("the peer has its new keys")
    try await directory.refresh(peer)
    try await context.reloadHousehold()
    if let next { await directory.committed([next]) }
    context.changes.notify()
    // A new session is made with the new key; nothing is lost by the change.
    if let current, sessions[current]?.pairwiseKey != record.keys.present { close(current, .renew) }
  }

  /// Keep the discovery keys among items that are about to be committed, durably: a crash in between costs nothing, since the
  /// items come again.
  func keepDiscoveryKeys(_ runs: [ItemRun]) async throws(StoreError) {
    for run in runs where run.streamClass == .control {
      for item in run.items where item.kind == .keyRotation {
        guard record.device.role == .parent, let rotation = try? MessageBodyCoding().rotation(item.body),
          rotation.generation >= record.knownGeneration, rotation.discoveryKey != context.discoveryKey,
          try await context.store.isHousehold(of: peer)
        else { continue }
        do { try context.keep(discoveryKey: rotation.discoveryKey) } catch {
          throw .inputOutput("the key file: \(error)")
        }
      }
    }
  }

  /// The peer's Hello names the key that it answers with: an earlier one may have no more use.
  func noteKeyID(_ hello: Hello) {
    guard !hello.keyID.isEmpty, record.keys.previous != nil else { return }
    answeringKeyID = hello.keyID
  }

  /// Erase an earlier key that has no more use.
  func forgetPreviousKey() async throws(StoreError) {
    guard let keyID = answeringKeyID else { return }
    answeringKeyID = nil
    if try await context.store.peer(peer, answersWith: keyID) { try await directory.refresh(peer) }
  }

  /// What this side's Hello says of the key that it answers with.
  var ownKeyID: [UInt8] { record.sessionKey.map { PairwiseKeyID.make($0) } ?? [] }

  /// Whether a position covers all of the control stream as it is now.
  func isWholeControl(_ position: StreamPosition) -> Bool {
    outbox.statement.contains {
      $0.streamClass == .control && $0.epoch == position.epoch && $0.through <= position.through
    }
  }
}
