/// What is out of the ordinary with a paired device; `GET /v1/devices`.
///
/// Spec: Protocol/07-local-api.md §4.
public enum PeerMark: String, Codable, Sendable, Hashable, CaseIterable {
  /// No session has been open since it was paired.
  case neverConnected = "never-connected"
  /// Two live machines use its keys; nothing is exchanged until a person has decided.
  case quarantined
  /// It was removed here and has not heard of it yet.
  case removalUntold = "removal-untold"
  /// Its new keys have not reached it yet.
  case rotationOutstanding = "rotation-outstanding"
}
