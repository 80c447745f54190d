import LatchkeyModel

/// What an inviter says in the clear when it cannot go on with a handshake. Anyone could have sent it: it informs, and decides nothing.
///
/// Two bytes, which no handshake message can be. Spec: Protocol/03-pairing.md §7.
public enum PairingNotice: UInt8, Sendable, Hashable {
  case wrongCode = 1
  case busy = 2
  case version = 3

  /// The two bytes.
  public var frame: [UInt8] { [0, rawValue] }

  /// Read a frame; nil when it is no notice.
  public init?(frame: [UInt8]) {
    guard frame.count == 2, frame[0] == 0 else { return nil }
    self.init(rawValue: frame[1])
  }

  /// The outcome that the joiner tells its person.
  public var outcome: PairingOutcome {
    switch self {
    case .wrongCode: .wrongCode
    case .busy: .busy
    case .version: .version
    }
  }
}
