import LatchkeyModel
import LatchkeyProtocol
import LatchkeyTestSupport
import Testing

@Suite struct DeviceKeysTests {
  private let keys: DeviceKeys

  init() throws {
    keys = DeviceKeys(
      identity: try IdentityPublicKey(bytes: Array(0..<32)), link: try LinkPublicKey(bytes: Array(32..<64)))
  }

  /// Another program computed these values from the specification.
  @Test func idAndCommitmentAreTheKnownOnes() {
    #expect(keys.deviceID.description == "HPDQ-V6SZ-JVJ1-C4SA-Q5XN-BME7-PAWR-HA7J-8")
    #expect(keys.codeCommitment == hex("aa15e4c964af69737dd11ae307c997d0"))
  }

  @Test func bothKeysMakeTheID() throws {
    let otherLink = DeviceKeys(identity: keys.identity, link: try LinkPublicKey(bytes: Array(33..<65)))
    let otherIdentity = DeviceKeys(identity: try IdentityPublicKey(bytes: Array(1..<33)), link: keys.link)
    #expect(Set([keys, otherLink, otherIdentity].map(\.deviceID)).count == 3)
    #expect(Set([keys, otherLink, otherIdentity].map(\.codeCommitment)).count == 3)
  }

  @Test func theHintIsTheKnownOneAndChangesWithEachOfItsParts() throws {
    let key = [UInt8](repeating: 7, count: 32)
    let nonce = [UInt8](0..<8)
    let hint = DiscoveryHint.make(discoveryKey: key, nonce: nonce, device: keys.deviceID)
    #expect(hint == hex("95eeef5d5cce24f6"))
    var random = SeededRandom()
    #expect(hint != DiscoveryHint.make(discoveryKey: random.bytes(32), nonce: nonce, device: keys.deviceID))
    #expect(hint != DiscoveryHint.make(discoveryKey: key, nonce: random.bytes(8), device: keys.deviceID))
    #expect(hint != DiscoveryHint.make(discoveryKey: key, nonce: nonce, device: Samples.deviceID(&random)))
  }
}
