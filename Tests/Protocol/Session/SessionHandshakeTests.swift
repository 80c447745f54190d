import LatchkeyModel
import LatchkeyProtocol
import LatchkeyTestSupport
import Testing

@Suite struct SessionHandshakeTests {
  private var random = SeededRandom()
  private let caller: LinkKeyPair
  private let callee: LinkKeyPair
  private let key: PresharedKey

  init() throws {
    caller = Samples.linkKeys(&random)
    callee = Samples.linkKeys(&random)
    key = try PresharedKey(bytes: random.bytes(32))
  }

  private mutating func dial(from own: LinkKeyPair? = nil, to peer: LinkPublicKey? = nil) -> SessionInitiator {
    SessionInitiator(
      own: own ?? caller, peer: peer ?? callee.publicKey, pairwiseKey: key, ephemeralKey: Samples.linkKeys(&random))
  }

  private mutating func answer(_ frame: [UInt8], own: LinkKeyPair? = nil) throws -> SessionResponder {
    try SessionResponder(own: own ?? callee, ephemeralKey: Samples.linkKeys(&random), firstFrame: frame)
  }

  @Test mutating func oneRoundTripOpensBothDirections() throws {
    let initiator = dial()
    let responder = try answer(initiator.firstFrame)
    #expect(responder.caller == caller.publicKey)
    var (frame, right) = responder.accept(pairwiseKey: key)
    var left = try initiator.received(frame)
    #expect(left.handshakeHash == right.handshakeHash)
    #expect(try right.open(try left.seal([1, 2])) == [1, 2])
    #expect(try left.open(try right.seal([3])) == [3])
  }

  @Test mutating func theCallersKeyIsNotInTheClear() {
    #expect(dial().firstFrame.firstRange(of: caller.publicKey.bytes) == nil)
  }

  @Test mutating func aCallThatComesBackToItsCallerIsNamedSo() throws {
    let initiator = dial(to: caller.publicKey)
    #expect(throws: SessionFault.ownKey) { try answer(initiator.firstFrame, own: caller) }
  }

  @Test mutating func aCallForSomebodyElseIsNotUnderstood() throws {
    let initiator = dial(to: Samples.linkKeys(&random).publicKey)
    #expect(throws: SessionFault.authentication) { try answer(initiator.firstFrame) }
  }

  /// A peer with a link key but without the pairwise key is a thief, or a device that was removed.
  @Test mutating func anotherPairwiseKeyOpensNothing() throws {
    let initiator = dial()
    let responder = try answer(initiator.firstFrame)
    let (frame, _) = responder.accept(pairwiseKey: try PresharedKey(bytes: random.bytes(32)))
    #expect(throws: SessionFault.authentication) { try initiator.received(frame) }
  }

  /// The responder knows who calls before it sends anything, so that a stranger receives nothing at
  /// all.
  @Test mutating func aStrangerIsKnownAsOneBeforeAnyAnswer() throws {
    let stranger = Samples.linkKeys(&random)
    let responder = try answer(dial(from: stranger).firstFrame)
    #expect(responder.caller == stranger.publicKey && responder.caller != caller.publicKey)
  }

  /// A replay opens a session that only the real caller could use, and delivers none of its data.
  @Test mutating func aReplayedCallGivesAnotherSessionAndNoData() throws {
    let initiator = dial()
    let firstAnswer = try answer(initiator.firstFrame).accept(pairwiseKey: key)
    var caller = try initiator.received(firstAnswer.frame)
    let said = try caller.seal([1, 2, 3])
    var (replayedFrame, replayed) = try answer(initiator.firstFrame).accept(pairwiseKey: key)
    #expect(replayedFrame != firstAnswer.frame && replayed.handshakeHash != caller.handshakeHash)
    #expect(throws: NoiseError.self) { try replayed.open(said) }
    #expect(throws: SessionFault.authentication) { try initiator.received(replayedFrame + [0]) }
    var real = firstAnswer.transport
    #expect(try real.open(said) == [1, 2, 3])
  }

  /// The first frame can be replayed, so it must not carry data.
  @Test mutating func dataInTheHandshakeIsRefused() throws {
    let prologue = Array("latchkey session v1".utf8) + [0x4C, 0x4B, 1, 2, 0, 0]
    var initiator = try NoiseHandshake(
      pattern: .ikPSK2, role: .initiator, prologue: prologue, staticKey: caller,
      ephemeralKey: Samples.linkKeys(&random),
      remoteStatic: callee.publicKey, presharedKeys: [key])
    var copy = initiator
    let empty = try copy.writeMessage(payload: [])
    #expect(throws: Never.self) { try answer(empty) }
    let full = try initiator.writeMessage(payload: [1])
    #expect(throws: SessionFault.authentication) { try answer(full) }

    let dialled = dial()
    var responder = try NoiseHandshake(
      pattern: .ikPSK2, role: .responder, prologue: prologue, staticKey: callee,
      ephemeralKey: Samples.linkKeys(&random),
      remoteStatic: nil, presharedKeys: [key])
    _ = try responder.readMessage(dialled.firstFrame)
    let reply = try responder.writeMessage(payload: [1])
    #expect(throws: SessionFault.authentication) { try dialled.received(reply) }
  }

  @Test mutating func anotherProtocolsHandshakeIsRefused() throws {
    for prologue in [
      [], Array("latchkey session v1".utf8), Array("latchkey session v2".utf8) + [0x4C, 0x4B, 1, 2, 0, 0],
    ] {
      var handshake = try NoiseHandshake(
        pattern: .ikPSK2, role: .initiator, prologue: prologue, staticKey: caller,
        ephemeralKey: Samples.linkKeys(&random),
        remoteStatic: callee.publicKey, presharedKeys: [key])
      let frame = try handshake.writeMessage(payload: [])
      #expect(throws: SessionFault.authentication) { try answer(frame) }
    }
  }

  @Test mutating func everyAlteredFrameIsRefused() throws {
    let initiator = dial()
    let call = initiator.firstFrame
    let (reply, _) = try answer(call).accept(pairwiseKey: key)
    func alterations(_ frame: [UInt8]) -> [[UInt8]] {
      frame.indices.flatMap { index in
        var flipped = frame
        flipped[index] ^= 1 << UInt8(index % 8)
        return [flipped, Array(frame.prefix(index))]
      } + [
        frame + [0], random.bytes(frame.count), random.bytes(Limits.frameBytes), random.bytes(Limits.frameBytes + 1),
      ]
    }
    for frame in alterations(call) {
      #expect(throws: SessionFault.authentication, "\(random.note)") { try answer(frame) }
    }
    for frame in alterations(reply) {
      #expect(throws: SessionFault.authentication, "\(random.note)") { try initiator.received(frame) }
    }
  }
}
