/// The reasons why a handshake or a transport fails.
///
/// Any fault in a peer's bytes is `authenticationFailed`: wrong size, altered content, another key
/// or pre-shared key, or a point of small order. A peer learns nothing from the difference, since
/// there is none.
public enum NoiseError: Error, Equatable, Sendable {
  /// The name is not that of a supported handshake pattern.
  case unknownPattern(String)
  /// The pattern needs a key of this side or of the other that was not given.
  ///
  /// This is the caller's fault.
  case missingKey
  /// A remote static key or a pre-shared key was given that the pattern does not use.
  ///
  /// This is the caller's fault.
  case unexpectedKey
  /// The next message needs a pre-shared key.
  ///
  /// Provide it with `providePresharedKey`, then continue.
  case missingPresharedKey
  /// It is the other side's turn, or the handshake is finished.
  ///
  /// This is the caller's fault.
  case outOfTurn
  /// The handshake is not finished.
  ///
  /// This is the caller's fault.
  case handshakeUnfinished
  /// The data does not fit into a message of 65,535 bytes.
  ///
  /// This is the caller's fault.
  case messageTooLong
  /// The bytes were not created by the owner of the expected keys.
  ///
  /// This is the peer's fault.
  case authenticationFailed
  /// The key has protected the largest permitted number of messages.
  ///
  /// A new handshake is required.
  case nonceExhausted
}

extension NoiseError: CustomStringConvertible {
  /// One sentence with the fault and the next step.
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
