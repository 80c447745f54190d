import LatchkeyCrypto

/// Everything random that one attempt uses; never used again. Spec: Protocol/03-pairing.md §4.
public struct PairingEntropy: Sendable {
  /// 32 bytes for the pairwise key and the digits.
  public var random: [UInt8]
  /// The handshake's ephemeral key pair.
  public var ephemeralKey: LinkKeyPair
  /// This side's secret in CPace; used with a typed code only.
  public var scalar: CPaceScalar
  /// 16 bytes that name the run of CPace; the joiner's count.
  public var sessionID: [UInt8]

  public init(random: [UInt8], ephemeralKey: LinkKeyPair, scalar: CPaceScalar, sessionID: [UInt8]) {
    precondition(random.count == 32 && sessionID.count == CPaceOffer.sessionIDByteCount)
    self.random = random
    self.ephemeralKey = ephemeralKey
    self.scalar = scalar
    self.sessionID = sessionID
  }
}
