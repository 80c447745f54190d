import LatchkeyModel

/// A notice that an inviter sends unencrypted if it cannot continue a handshake.
///
/// Anyone could have sent it, so it informs and decides nothing.
///
/// It has two bytes, the size of no handshake message.
///
/// Spec: Protocol/03-pairing.md §7.
public enum PairingNotice: UInt8, Sendable, Hashable {
  case wrongCode = 1
  case busy = 2
  case version = 3

  /// The notice as two bytes.
  public var frame: [UInt8] { [0, rawValue] }

  /// Creates a notice from a frame; `nil` if the frame is none.
  public init?(frame: [UInt8]) {
    guard frame.count == 2, frame[0] == 0 else { return nil }
    self.init(rawValue: frame[1])
  }

  /// The outcome that the joiner shows to its person.
  public var outcome: PairingOutcome {
    switch self {
    case .wrongCode: .wrongCode
    case .busy: .busy
    case .version: .version
    }
  }
}
