/// An exceptional condition of a paired device, as `GET /v1/devices` reports it.
///
/// Spec: Protocol/07-local-api.md §4.
public enum PeerMark: String, Codable, Sendable, Hashable, CaseIterable {
  /// No session has been open since the pairing.
  case neverConnected = "never-connected"
  /// Two live machines use the device's keys; nothing is exchanged until a person decides.
  case quarantined
  /// The device was removed here and has not heard of it.
  case removalUntold = "removal-untold"
  /// The new keys of this machine have not reached the device.
  case rotationOutstanding = "rotation-outstanding"
}
