import LatchkeyModel

/// What a peer did wrong in a session; the connection is closed and, before the handshake is over, nothing is answered.
public enum SessionFault: Error, Hashable, Sendable, CustomStringConvertible {
  /// Bytes that the owner of the expected keys would not have sent.
  case authentication
  /// The remote key is our own.
  case ownKey
  /// A message that is malformed or out of place.
  case violation(String)
  /// The peer refused with its Hello.
  case refused(Hello.Refusal)
  /// No version both speak.
  case version

  public var description: String {
    switch self {
    case .authentication: "the other side did not prove to be the paired device"
    case .ownKey: "the address leads back to this machine"
    case .violation(let what): "the other side broke the protocol: \(what)"
    case .refused(.version), .version: "the two versions do not understand each other; update the older machine"
    case .refused(.shuttingDown): "the other side is shutting down"
    case .refused(.duplicateIdentity): "two live machines use one key"
    }
  }
}
