import LatchkeyModel
import LatchkeyProtocol
import LatchkeyStore

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
