/// A condition of a paired device that a person should know, as `GET /v1/devices` reports it.
///
/// Several can apply at once; they are listed in the order of the cases.
///
/// Spec: Protocol/07-local-api.md §4.
public enum PeerMark: String, Codable, Sendable, Hashable, CaseIterable {
  /// No session has been open since the pairing.
  case neverConnected = "never-connected"
  /// Two running machines use the device's keys; nothing is exchanged until a person releases the
  /// device.
  case quarantined
  /// The device was removed on this machine and has not been notified yet.
  case removalUntold = "removal-untold"
  /// The device has not confirmed the new keys that it was sent after another device was removed.
  case rotationOutstanding = "rotation-outstanding"
}
