/// Why a stream has to begin anew. Spec: Protocol/05-delivery.md §5.
public enum RestartCause: Hashable, Sendable {
  /// The peer lost what it had reported stored beyond this number of the epoch: it was wiped, or restored from a backup.
  ///
  /// `earlier` is what it holds of another epoch instead; `nil` if it holds this epoch, or none.
  case peerLost(after: UInt64, earlier: StreamPosition? = nil)
  /// The peer holds what is not known here: this machine was restored from a backup.
  case peerIsAhead
}
