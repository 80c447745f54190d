/// The first bytes of a connection, in which the dialling side states its purpose
/// (Protocol/04-session.md §1).
public enum Preamble: Hashable, Sendable {
  /// A pairing with the code of this discriminator (0 to 1023).
  case pairing(discriminator: UInt16)
  /// A pairing with the typed code of this discriminator (0 to 1023).
  case typedPairing(discriminator: UInt16)
  case session

  /// The size in bytes: `LK`, layout version, purpose, discriminator (big-endian, 0 for a session).
  public static let size = 6

  public var bytes: [UInt8] {
    switch self {
    case .pairing(let discriminator): [0x4C, 0x4B, 1, 1, UInt8(discriminator >> 8), UInt8(discriminator & 0xFF)]
    case .typedPairing(let discriminator): [0x4C, 0x4B, 1, 3, UInt8(discriminator >> 8), UInt8(discriminator & 0xFF)]
    case .session: [0x4C, 0x4B, 1, 2, 0, 0]
    }
  }

  /// Creates a preamble from six bytes; throws `FrameError.badPreamble`, the peer's fault.
  public init(_ bytes: some Collection<UInt8>) throws(FrameError) {
    let bytes = Array(bytes)
    guard bytes.count == Self.size, bytes[0..<3] == [0x4C, 0x4B, 1] else { throw .badPreamble }
    let discriminator = UInt16(bytes[4]) << 8 | UInt16(bytes[5])
    switch (bytes[3], discriminator) {
    case (1, 0...1_023): self = .pairing(discriminator: discriminator)
    case (2, 0): self = .session
    case (3, 0...1_023): self = .typedPairing(discriminator: discriminator)
    default: throw .badPreamble
    }
  }
}

/// A fault in the frames of a connection, which is always the peer's fault.
public enum FrameError: Error, Hashable, Sendable {
  /// The frame is longer than its phase permits.
  case tooLong(bytes: Int, limit: Int)
  case empty
  /// The connection does not begin with a preamble according to Protocol/04-session.md §1.
  case badPreamble
}
