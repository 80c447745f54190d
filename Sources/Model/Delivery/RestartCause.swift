/// The reason why a stream has to be restarted.
///
/// Spec: Protocol/05-delivery.md §5.
public enum RestartCause: Hashable, Sendable {
  /// The peer has lost what it reported as stored beyond this number of the epoch, since it was erased or restored from
  /// a backup.
  ///
  /// `earlier` is its position in another epoch; `nil` if it holds this epoch, or none.
  case peerLost(after: UInt64, earlier: StreamPosition? = nil)
  /// The peer holds items that are unknown here, since this machine was restored from a backup.
  case peerIsAhead
}
