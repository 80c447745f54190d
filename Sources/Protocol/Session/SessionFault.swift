import LatchkeyModel

/// A fault of the peer in a session.
///
/// The connection is closed; before the end of the handshake, no answer is sent.
public enum SessionFault: Error, Hashable, Sendable, CustomStringConvertible {
  /// The bytes were not created by the owner of the expected keys.
  case authentication
  case ownKey
  /// A message is malformed or out of place.
  case violation(String)
  case refused(Hello.Refusal)
  /// The two sides have no version in common.
  case version

  /// A clause that describes the fault to a person.
  public var description: String {
    switch self {
    case .authentication: "the other side did not prove that it is the paired device"
    case .ownKey: "the address leads back to this machine"
    case .violation(let what): "the other side broke the protocol: \(what)"
    case .refused(.version), .version: "the versions of the two machines do not work together; update the older machine"
    case .refused(.shuttingDown): "the other side is shutting down"
    case .refused(.duplicateIdentity): "another machine uses the same keys"
    }
  }
}
