import LatchkeyProtocol
import Testing

@Suite("Noise: the project's own vectors")
struct NoiseVectorTests {
  @Test("the file covers every fundamental pattern and those of the protocol")
  func coverage() throws {
    let names = Set(try NoiseVector.all.get().map(\.pattern))
    let fundamental = ["N", "K", "X", "NN", "NK", "NX", "XN", "XK", "XX", "KN", "KK", "KX", "IN", "IK", "IX"]
    #expect(names.isSuperset(of: fundamental + ["XXpsk0+psk3", "IKpsk2"]))
  }

  @Test("both sides produce the vector's messages", arguments: (try? NoiseVector.all.get()) ?? [])
  func conversation(_ vector: NoiseVector) throws {
    var initiator = try vector.handshake(.initiator)
    var responder = try vector.handshake(.responder)
    for (number, message) in vector.messages.enumerated() {
      #expect(initiator.isMyTurn == number.isMultiple(of: 2))
      #expect(responder.isMyTurn != initiator.isMyTurn)
      if initiator.isMyTurn {
        #expect(try initiator.writeMessage(payload: message.payload.bytes) == message.message.bytes)
        #expect(try responder.readMessage(message.message.bytes) == message.payload.bytes)
      } else {
        #expect(try responder.writeMessage(payload: message.payload.bytes) == message.message.bytes)
        #expect(try initiator.readMessage(message.message.bytes) == message.payload.bytes)
      }
    }
    #expect(initiator.isFinished && responder.isFinished)
    #expect(initiator.handshakeHash == vector.handshakeHash.bytes)
    #expect(responder.handshakeHash == vector.handshakeHash.bytes)
    if ["X", "I", "K"].contains(vector.pattern.prefix(1)) {
      #expect(responder.remoteStatic?.bytes == vector.initiatorStaticPublic.bytes)
    }
    try transport(vector, initiator.finish(), responder.finish())
  }

  private func transport(_ vector: NoiseVector, _ first: NoiseTransport, _ second: NoiseTransport) throws {
    var (initiator, responder) = (first, second)
    #expect(initiator.handshakeHash == vector.handshakeHash.bytes)
    for step in vector.transport {
      switch (step.from, step.rekey) {
      case (.initiator, true?):
        initiator.rekeySending()
        responder.rekeyReceiving()
      case (.responder, true?):
        responder.rekeySending()
        initiator.rekeyReceiving()
      case (.initiator, _):
        let (plaintext, message) = (try #require(step.plaintext).bytes, try #require(step.message).bytes)
        #expect(try initiator.seal(plaintext) == message)
        #expect(try responder.open(message) == plaintext)
      case (.responder, _):
        let (plaintext, message) = (try #require(step.plaintext).bytes, try #require(step.message).bytes)
        #expect(try responder.seal(plaintext) == message)
        #expect(try initiator.open(message) == plaintext)
      }
    }
  }

  @Test("the callee of IKpsk2 may learn the preshared key after the first message")
  func latePresharedKey() throws {
    let vector = try #require(try NoiseVector.all.get().first { $0.pattern == "IKpsk2" })
    var responder = try vector.handshake(.responder, presharedKeys: [])
    #expect(responder.remoteStatic == nil)
    #expect(try responder.readMessage(vector.messages[0].message.bytes) == vector.messages[0].payload.bytes)
    #expect(responder.remoteStatic?.bytes == vector.initiatorStaticPublic.bytes)
    #expect(throws: NoiseError.missingPresharedKey) {
      try responder.writeMessage(payload: vector.messages[1].payload.bytes)
    }
    responder.providePresharedKey(try PresharedKey(bytes: vector.presharedKeys[0].bytes))
    #expect(try responder.writeMessage(payload: vector.messages[1].payload.bytes) == vector.messages[1].message.bytes)
    #expect(responder.handshakeHash == vector.handshakeHash.bytes)
  }
}
