import LatchkeyModel
import LatchkeyProtocol
import LatchkeyTestSupport

/// The two ends of one session after its handshake.
struct SessionPair {
  let clock = ManualClock()
  /// The transports at the start of the machines, for an attacker that has the keys and breaks the
  /// rules.
  let callerTransport: NoiseTransport
  let calleeTransport: NoiseTransport
  var caller: SessionMachine
  var callee: SessionMachine

  init(_ random: inout SeededRandom) throws {
    let (own, peer) = (Samples.linkKeys(&random), Samples.linkKeys(&random))
    let key = try PresharedKey(bytes: random.bytes(32))
    let initiator = SessionInitiator(
      own: own, peer: peer.publicKey, pairwiseKey: key, ephemeralKey: Samples.linkKeys(&random))
    let responder = try SessionResponder(
      own: peer, ephemeralKey: Samples.linkKeys(&random), firstFrame: initiator.firstFrame)
    let (answer, transport) = responder.accept(pairwiseKey: key)
    calleeTransport = transport
    callerTransport = try initiator.received(answer)
    caller = SessionMachine(transport: callerTransport, now: clock.now)
    callee = SessionMachine(transport: calleeTransport, now: clock.now)
  }

  static func hello(versions: ClosedRange<UInt32> = Version.protocolRange, refusal: Hello.Refusal? = nil)
    -> SessionBatch
  {
    SessionBatch(
      hello: Hello(
        versions: versions, runID: [UInt8](repeating: 4, count: 16), name: "Emma's PC", role: .child, refusal: refusal,
        outgoing: [], incoming: [], keyID: [UInt8](repeating: 9, count: 8)))
  }

  /// Exchanges both Hellos.
  mutating func open() throws {
    _ = try callee.received(try caller.seal(Self.hello(), now: clock.now), now: clock.now)
    _ = try caller.received(try callee.seal(Self.hello(), now: clock.now), now: clock.now)
  }
}
