import LatchkeyModel
import LatchkeyTestSupport
import Testing

@testable import LatchkeyProtocol

/// Tests with values that another program computed from the specification.
@Suite struct PairingSecretsTests {
  private let secret = SecretBytes(Array(0x10..<0x20))
  private let inviter: DeviceKeys
  private let joiner: DeviceKeys
  private let inviterRandom = [UInt8](repeating: 1, count: 32)
  private let joinerRandom = [UInt8](repeating: 2, count: 32)

  init() throws {
    inviter = DeviceKeys(
      identity: try IdentityPublicKey(bytes: Array(0..<32)), link: try LinkPublicKey(bytes: Array(32..<64)))
    joiner = DeviceKeys(
      identity: try IdentityPublicKey(bytes: Array(64..<96)), link: try LinkPublicKey(bytes: Array(96..<128)))
  }

  private func key(_ text: String) throws -> PresharedKey { try PresharedKey(bytes: hex(text)) }

  @Test func keysAreTheKnownOnes() throws {
    #expect(
      PairingSecrets.handshakeKey(secret: secret)
        == (try key("83e819c178dd3a732607f77352c136a43ae79d13716c7f94270b7a9fad554b54")))
    #expect(
      PairingSecrets.pairwiseKey(
        handshakeHash: [UInt8](repeating: 9, count: 32), secret: secret, inviterRandom: inviterRandom,
        joinerRandom: joinerRandom) == (try key("880188d4da1fd85a53b3c8321236d9105ad28e429129aae44e759885d0542ed8")))
  }

  @Test func commitmentAndPrologueAreTheKnownOnes() {
    #expect(
      PairingSecrets.joinerCommitment(keys: inviter, random: joinerRandom)
        == hex("f7dca725d20aada1b73a39f6417ac511420fe5e9a8d397d8b2d4d932f0270c93"))
    #expect(
      PairingSecrets.prologue(.pairing(discriminator: 0x29A), joinerRole: .child)
        == hex("6c617463686b65792070616972696e672076314c4b0101029a0102"))
  }

  @Test func digitsAreTheKnownOnesWithTheirLeadingZeros() {
    #expect(
      PairingSecrets.digits(inviter: inviter, joiner: joiner, inviterRandom: inviterRandom, joinerRandom: joinerRandom)
        == "785089")
    let random = [UInt8](repeating: 0, count: 30) + [0x04, 0x92]
    #expect(
      PairingSecrets.digits(inviter: inviter, joiner: joiner, inviterRandom: inviterRandom, joinerRandom: random)
        == "000175")
  }
}
