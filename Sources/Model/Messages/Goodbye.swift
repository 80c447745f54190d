/// Why a side ends a session.
///
/// Spec: Protocol/04-session.md §7.
public enum Goodbye: UInt32, Sendable, Hashable {
  case shuttingDown = 1
  /// The other of two simultaneous sessions is kept.
  case duplicate = 2
  /// The session is a day old: make a new handshake.
  case renew = 3
  /// What the peer sent breaks the protocol.
  case protocolError = 4
  /// The peer was removed from the household.
  case removed = 5
  /// No version both speak.
  case version = 6
  /// Two live machines use the receiver's keys.
  case duplicateIdentity = 7
}
