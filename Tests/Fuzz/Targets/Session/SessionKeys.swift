import LatchkeyProtocol
import LatchkeyTestSupport

/// Two paired devices, a stranger, and one handshake between them, all of them constant.
struct SessionKeys: Sendable {
  let caller: LinkKeyPair
  let callee: LinkKeyPair
  let stranger: LinkKeyPair
  let ephemeral: (caller: LinkKeyPair, callee: LinkKeyPair)
  let pairwise: PresharedKey
  /// An older key that the caller tries as well.
  let older: PresharedKey
  /// A key that neither side has.
  let foreign: PresharedKey
  let initiator: SessionInitiator
  let answer: [UInt8]
  let transports: (caller: NoiseTransport, callee: NoiseTransport)

  static let shared = SessionKeys()

  private init() {
    var random = SeededRandom(seed: 2)
    caller = Samples.linkKeys(&random)
    callee = Samples.linkKeys(&random)
    stranger = Samples.linkKeys(&random)
    ephemeral = (Samples.linkKeys(&random), Samples.linkKeys(&random))
    do {
      pairwise = try PresharedKey(bytes: random.bytes(32))
      older = try PresharedKey(bytes: random.bytes(32))
      foreign = try PresharedKey(bytes: random.bytes(32))
      initiator = SessionInitiator(
        own: caller, peer: callee.publicKey, pairwiseKeys: [older, pairwise], ephemeralKey: ephemeral.caller)
      let responder = try SessionResponder(
        own: callee, ephemeralKey: ephemeral.callee, firstFrame: initiator.firstFrame)
      let accepted = responder.accept(pairwiseKey: pairwise)
      answer = accepted.frame
      transports = (try initiator.received(accepted.frame), accepted.transport)
    } catch { preconditionFailure("two devices with one key understand each other: \(error)") }
  }
}
