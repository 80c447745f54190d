import LatchkeyModel
import LatchkeyProtocol
import LatchkeyTestSupport
import Testing

@Suite struct RemovalNoticeTests {
  @Test func onlyTheSendersWordToThisReceiverCounts() {
    var random = SeededRandom()
    let parent = Samples.party(.parent, name: "P", &random)
    let other = Samples.party(.parent, name: "O", &random)
    let (sender, receiver) = (parent.keys.deviceID, Samples.deviceID(&random))
    let identity = parent.identity.publicKey
    let body = RemovalNotice.make(by: parent.identity, sender: sender, receiver: receiver)
    #expect(body.count <= Limits.itemBodyBytes)
    #expect(RemovalNotice.isGenuine(body, identity: identity, sender: sender, receiver: receiver))
    #expect(!RemovalNotice.isGenuine(body, identity: other.identity.publicKey, sender: sender, receiver: receiver))
    #expect(!RemovalNotice.isGenuine(body, identity: identity, sender: sender, receiver: Samples.deviceID(&random)))
    #expect(!RemovalNotice.isGenuine(body, identity: identity, sender: Samples.deviceID(&random), receiver: receiver))
    // A notice that is sent back to its author removes no device.
    #expect(!RemovalNotice.isGenuine(body, identity: identity, sender: receiver, receiver: sender))
    for index in body.indices {
      var altered = body
      altered[index] ^= 1 << UInt8(index % 8)
      #expect(
        !RemovalNotice.isGenuine(altered, identity: identity, sender: sender, receiver: receiver), "\(random.note)")
      #expect(
        !RemovalNotice.isGenuine(Array(body.prefix(index)), identity: identity, sender: sender, receiver: receiver))
    }
  }
}
