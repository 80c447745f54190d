/// Name why a handshake or a transport did not do what was asked.
///
/// Whatever a peer's bytes have wrong, they are `authenticationFailed`: too short, too long, altered, made with another
/// key or preshared key, or naming a point of small order. A peer learns nothing from the difference: there is none.
public enum NoiseError: Error, Equatable, Sendable {
  /// The name is not one of a handshake pattern that is built in.
  case unknownPattern(String)
  /// The pattern needs a key of this side, or of the other, that was not given. The caller's fault.
  case missingKey
  /// A remote static key, or a preshared key, was given that the pattern has no use for. The caller's fault.
  case unexpectedKey
  /// The next message needs a preshared key that is not there yet: give it with `providePresharedKey`, then go on.
  case missingPresharedKey
  /// It is the other side's turn, or the handshake is over. The caller's fault.
  case outOfTurn
  /// The handshake has messages left. The caller's fault.
  case handshakeUnfinished
  /// What is to be sent does not fit into a message of 65,535 bytes. The caller's fault.
  case messageTooLong
  /// The bytes received are not what the owner of the expected keys would have sent. The peer's fault.
  case authenticationFailed
  /// The key has protected as many messages as it may; only a new handshake goes on.
  case nonceExhausted
}

extension NoiseError: CustomStringConvertible {
  public var description: String {
    switch self {
    case .unknownPattern(let name): "\"\(name)\" is not a known handshake pattern; use one such as XXpsk0+psk3."
    case .missingKey: "The handshake pattern needs a key that was not given; give it at the start."
    case .unexpectedKey: "A key was given that the handshake pattern does not use; leave it out."
    case .missingPresharedKey: "The preshared key is not known yet; provide it before the next message."
    case .outOfTurn: "It is the other side's turn; wait for its message."
    case .handshakeUnfinished: "The handshake is not finished; exchange the messages that are left."
    case .messageTooLong: "The message would be longer than 65,535 bytes; send it in parts."
    case .authenticationFailed: "The other side could not be authenticated; close the connection."
    case .nonceExhausted: "The session has used up its key; connect anew."
    }
  }
}
