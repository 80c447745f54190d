import LatchkeyCrypto

/// The random values of one attempt, which are never used again.
///
/// Spec: Protocol/03-pairing.md §4.
public struct PairingEntropy: Sendable {
  /// 32 bytes for the pairwise key and the digits.
  public var random: [UInt8]
  /// The handshake's ephemeral key pair.
  public var ephemeralKey: LinkKeyPair
  /// This side's secret in CPace; used with a typed code only.
  public var scalar: CPaceScalar
  /// The ID of the CPace run, 16 bytes.
  ///
  /// Only the joiner's is used.
  public var sessionID: [UInt8]

  /// Creates the random values of an attempt.
  public init(random: [UInt8], ephemeralKey: LinkKeyPair, scalar: CPaceScalar, sessionID: [UInt8]) {
    precondition(random.count == 32 && sessionID.count == CPaceOffer.sessionIDByteCount)
    self.random = random
    self.ephemeralKey = ephemeralKey
    self.scalar = scalar
    self.sessionID = sessionID
  }
}
