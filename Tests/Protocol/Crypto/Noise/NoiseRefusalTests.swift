import LatchkeyProtocol
import LatchkeyTestSupport
import Testing

@Suite("Noise: refused messages change no state")
struct NoiseRefusalTests {
  static let guardedPatterns = ["XXpsk0+psk3", "IKpsk2"]

  /// Runs a handshake and, before each genuine message is read, lets `attack` act on its reader
  /// with that message.
  ///
  /// The attacked reader continues the handshake, so that any change of its state would break the
  /// rest.
  private func run(_ name: String, attack: (inout NoiseHandshake, [UInt8]) throws -> Void) throws {
    var pair = try HandshakePair(try NoisePattern(name: name))
    var messageCount = 0
    while !pair.initiator.isFinished || !pair.responder.isFinished {
      let writerIsInitiator = pair.initiator.isMyTurn
      let payload = [UInt8](repeating: UInt8(messageCount), count: 9)
      let message = try pair.write(payload)
      var reader = writerIsInitiator ? pair.responder : pair.initiator
      try attack(&reader, message)
      #expect(try reader.readMessage(message) == payload)
      if writerIsInitiator { pair.responder = reader } else { pair.initiator = reader }
      messageCount += 1
    }
    #expect(pair.initiator.handshakeHash == pair.responder.handshakeHash)
    var (first, second) = (try pair.initiator.finish(), try pair.responder.finish())
    #expect(try second.open(try first.seal([1, 2, 3])) == [1, 2, 3])
    #expect(try first.open(try second.seal([4, 5])) == [4, 5])
  }

  /// Checks that a message is refused with the only error there is, and that the reader is
  /// unchanged.
  private func expectRefusal(_ reader: inout NoiseHandshake, of forged: [UInt8], true message: [UInt8]) {
    let (hash, remote, turn) = (reader.handshakeHash, reader.remoteStatic, reader.isMyTurn)
    #expect(throws: NoiseError.authenticationFailed) { try reader.readMessage(forged) }
    #expect(reader.handshakeHash == hash && reader.remoteStatic == remote && reader.isMyTurn == turn)
    var afterwards = reader
    #expect(throws: Never.self) { try afterwards.readMessage(message) }
  }

  @Test("every flipped bit of every message", arguments: guardedPatterns)
  func flippedBits(_ name: String) throws {
    try run(name) { reader, message in
      for bit in 0..<message.count * 8 {
        var forged = message
        forged[bit / 8] ^= 1 << UInt8(bit % 8)
        expectRefusal(&reader, of: forged, true: message)
      }
    }
  }

  @Test("every truncation, and bytes added before or after", arguments: guardedPatterns)
  func wrongLengths(_ name: String) throws {
    try run(name) { reader, message in
      for count in 0..<message.count {
        expectRefusal(&reader, of: [UInt8](message.prefix(count)), true: message)
      }
      for count in [1, 2, 15, 16, 17, 32, 48, 65_535 - message.count, 65_536 - message.count, 100_000] {
        expectRefusal(&reader, of: message + [UInt8](repeating: 0, count: count), true: message)
      }
      expectRefusal(&reader, of: [0] + message, true: message)
    }
  }

  @Test("random bytes of any length", arguments: guardedPatterns, [1, 2, 3] as [UInt64])
  func randomBytes(_ name: String, seed: UInt64) throws {
    var generator = SeededRandom(seed: seed)
    try run(name) { reader, message in
      for _ in 0..<400 {
        let forged = generator.bytes(Int.random(in: 0...300, using: &generator))
        expectRefusal(&reader, of: forged, true: message)
      }
    }
  }

  @Test("random bytes never trap in any pattern", arguments: (try? NoiseVector.all.get()) ?? [])
  func randomBytesEverywhere(_ vector: NoiseVector) throws {
    var generator = SeededRandom(seed: 99)
    var pair = try HandshakePair(try NoisePattern(name: vector.pattern))
    while !pair.initiator.isFinished {
      for _ in 0..<100 {
        // Some patterns read their first message without a key, so any bytes of the right size are
        // a message.
        var reader = pair.reader
        _ = try? reader.readMessage(generator.bytes(Int.random(in: 0...200, using: &generator)))
      }
      var reader = pair.reader
      let writerIsInitiator = pair.initiator.isMyTurn
      _ = try reader.readMessage(try pair.write([]))
      if writerIsInitiator { pair.responder = reader } else { pair.initiator = reader }
    }
  }

  @Test(
    "a wrong preshared key in any place", arguments: [("XXpsk0+psk3", 0, 0), ("XXpsk0+psk3", 1, 2), ("IKpsk2", 0, 1)])
  func wrongPresharedKey(_ name: String, wrong: Int, refusedAt: Int) throws {
    let pattern = try NoisePattern(name: name)
    let keys = (0..<pattern.presharedKeyCount).map { _ in PresharedKey.generate() }
    var others = keys
    others[wrong] = .generate()
    var pair = try HandshakePair(pattern, presharedKeys: keys, responderPresharedKeys: others)
    #expect(try failingMessage(&pair) == refusedAt)
  }

  @Test("a different prologue", arguments: guardedPatterns)
  func wrongPrologue(_ name: String) throws {
    var pair = try HandshakePair(try NoisePattern(name: name), initiatorPrologue: [1], responderPrologue: [2])
    #expect(try failingMessage(&pair) == 0)
  }

  @Test("a caller that expects another callee")
  func wrongCallee() throws {
    let key = PresharedKey.generate()
    var initiator = try NoiseHandshake(
      pattern: .ikPSK2, role: .initiator, prologue: [], staticKey: .generate(), ephemeralKey: .generate(),
      remoteStatic: LinkKeyPair.generate().publicKey, presharedKeys: [key])
    var responder = try NoiseHandshake(
      pattern: .ikPSK2, role: .responder, prologue: [], staticKey: .generate(), ephemeralKey: .generate(),
      remoteStatic: nil, presharedKeys: [key])
    let message = try initiator.writeMessage(payload: [])
    #expect(throws: NoiseError.authenticationFailed) { try responder.readMessage(message) }
    #expect(responder.remoteStatic == nil)
  }

  /// Exchanges messages until one is refused, and returns its number.
  private func failingMessage(_ pair: inout HandshakePair) throws -> Int? {
    for number in 0..<3 where !pair.initiator.isFinished {
      let message = try pair.write([])
      let readerIsResponder = number.isMultiple(of: 2)
      do throws(NoiseError) {
        if readerIsResponder {
          _ = try pair.responder.readMessage(message)
        } else {
          _ = try pair.initiator.readMessage(message)
        }
      } catch {
        #expect(error == .authenticationFailed)
        return number
      }
    }
    return nil
  }

  @Test("points of small order, sent in the clear", arguments: (try? KeyVectors.all.get().x25519LowOrder) ?? [])
  func lowOrderPoints(_ vector: KeyVectors.LowOrder) throws {
    // NN sends its first key unprotected, and IN also its static key. Only the check of the point
    // can refuse these.
    var ephemeral = try HandshakePair(try NoisePattern(name: "NN")).responder
    #expect(throws: NoiseError.authenticationFailed) { try ephemeral.readMessage(vector.publicKey.bytes) }
    let good = LinkKeyPair.generate().publicKey.bytes
    #expect(try ephemeral.readMessage(good).isEmpty)
    var fixed = try HandshakePair(try NoisePattern(name: "IN")).responder
    #expect(throws: NoiseError.authenticationFailed) { try fixed.readMessage(good + vector.publicKey.bytes) }
    #expect(fixed.remoteStatic == nil)
    #expect(try fixed.readMessage(good + good).isEmpty)
  }
}
