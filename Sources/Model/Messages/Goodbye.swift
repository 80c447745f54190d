/// The reason why a side ends a session.
///
/// Spec: Protocol/04-session.md §7.
public enum Goodbye: UInt32, Sendable, Hashable {
  case shuttingDown = 1
  /// The other of two simultaneous sessions is kept.
  case duplicate = 2
  /// The session is a day old and needs a new handshake.
  case renew = 3
  /// The receiver violated the protocol.
  case protocolError = 4
  /// The peer was removed from the household.
  case removed = 5
  /// The two sides have no version in common.
  case version = 6
  /// Two live machines use the receiver's keys.
  case duplicateIdentity = 7
}
