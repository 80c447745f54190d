import LatchkeyCrypto
import LatchkeyProtocol

extension PairingEntropy {
  /// Draws everything random for one attempt.
  static func draw() -> PairingEntropy {
    PairingEntropy(
      random: SecureRandom.bytes(32), ephemeralKey: LinkKeyPair.generate(), scalar: CPaceScalar.generate(),
      sessionID: SecureRandom.bytes(16))
  }
}
