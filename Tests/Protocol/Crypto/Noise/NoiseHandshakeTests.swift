import LatchkeyProtocol
import Testing

@Suite("Noise: the rules of a handshake")
struct NoiseHandshakeTests {
  /// Every pattern with every choice of preshared keys.
  static let allNames: [String] = [
    ("N", 1), ("K", 1), ("X", 1), ("NN", 2), ("NK", 2), ("NX", 2), ("XN", 3), ("XK", 3), ("XX", 3), ("KN", 2),
    ("KK", 2),
    ("KX", 2), ("IN", 2), ("IK", 2), ("IX", 2),
  ].flatMap { (base: String, messages: Int) in
    (0..<1 << (messages + 1)).map { choice in
      base + (0...messages).filter { choice >> $0 & 1 == 1 }.map { "psk\($0)" }.joined(separator: "+")
    }
  }

  @Test("every pattern with any preshared keys results in a session", arguments: allNames)
  func everyPattern(_ name: String) throws {
    let pattern = try NoisePattern(name: name)
    #expect(pattern.name == name)
    #expect(pattern.presharedKeyCount == name.split(separator: "psk").count - 1)
    var pair = try HandshakePair(pattern)
    try pair.complete()
    #expect(pair.initiator.handshakeHash == pair.responder.handshakeHash)
    var (first, second) = (try pair.initiator.finish(), try pair.responder.finish())
    #expect(try second.open(try first.seal([1, 2, 3])) == [1, 2, 3])
    if pattern.isOneWay {
      #expect(throws: NoiseError.outOfTurn) { try second.seal([1]) }
      #expect(throws: NoiseError.outOfTurn) { try first.open([UInt8](repeating: 0, count: 20)) }
    } else {
      #expect(try first.open(try second.seal([4])) == [4])
    }
  }

  @Test("the constants are the named patterns")
  func constants() {
    #expect(NoisePattern.xxPSK0PSK3.name == "XXpsk0+psk3" && NoisePattern.xxPSK0PSK3.presharedKeyCount == 2)
    #expect(NoisePattern.ikPSK2.name == "IKpsk2" && NoisePattern.ikPSK2.presharedKeyCount == 1)
  }

  @Test(
    "names that are not patterns",
    arguments: [
      "", "psk0", "xx", "XXX", "XY", "XXpsk", "XXpsk4", "XXpsk-1", "XXpsk03", "XXpsk0+", "XX+psk0", "XXpsk0psk3",
      "XXpsk3+psk0", "XXpsk0+psk0", "Npsk2", "XXfallback", "XX psk0", "XXpsk٣", "ＸＸ", "IKpsk2\n", "XXPSK0",
    ])
  func unknownPatterns(_ name: String) {
    #expect(throws: NoiseError.unknownPattern(name)) { try NoisePattern(name: name) }
  }

  @Test("missing keys, and keys that the pattern would not verify, are refused")
  func keys() throws {
    let (mine, other) = (LinkKeyPair.generate(), LinkKeyPair.generate().publicKey)
    func begin(
      _ name: String, _ role: NoiseRole, _ staticKey: LinkKeyPair?, _ remote: LinkPublicKey?, _ keyCount: Int = 0
    ) throws -> NoiseHandshake {
      try NoiseHandshake(
        pattern: try NoisePattern(name: name), role: role, prologue: [], staticKey: staticKey,
        ephemeralKey: .generate(),
        remoteStatic: remote, presharedKeys: (0..<keyCount).map { _ in .generate() })
    }
    #expect(throws: NoiseError.missingKey) { try begin("IKpsk2", .initiator, nil, other) }
    #expect(throws: NoiseError.missingKey) { try begin("IKpsk2", .initiator, mine, nil) }
    #expect(throws: NoiseError.missingKey) { try begin("IKpsk2", .responder, nil, nil) }
    #expect(throws: NoiseError.missingKey) { try begin("XX", .responder, nil, nil) }
    #expect(throws: NoiseError.missingKey) { try begin("K", .responder, mine, nil) }
    #expect(throws: NoiseError.unexpectedKey) { try begin("IKpsk2", .responder, mine, other) }
    #expect(throws: NoiseError.unexpectedKey) { try begin("XX", .initiator, mine, other) }
    #expect(throws: NoiseError.unexpectedKey) { try begin("XX", .initiator, mine, nil, 1) }
    #expect(throws: NoiseError.unexpectedKey) { try begin("XXpsk0+psk3", .initiator, mine, nil, 3) }
    #expect(throws: Never.self) { try begin("NK", .initiator, nil, other) }
    #expect(throws: Never.self) { try begin("NN", .responder, nil, nil) }
  }

  @Test("messages out of order are refused and change nothing")
  func turns() throws {
    var pair = try HandshakePair(.xxPSK0PSK3)
    #expect(throws: NoiseError.outOfTurn) { try pair.responder.writeMessage(payload: []) }
    #expect(throws: NoiseError.outOfTurn) { try pair.initiator.readMessage([]) }
    #expect(throws: NoiseError.handshakeUnfinished) { try pair.initiator.finish() }
    try pair.complete()
    #expect(!pair.initiator.isMyTurn && !pair.responder.isMyTurn)
    #expect(throws: NoiseError.outOfTurn) { try pair.initiator.writeMessage(payload: []) }
    #expect(throws: NoiseError.outOfTurn) { try pair.initiator.readMessage([]) }
    #expect(throws: NoiseError.outOfTurn) { try pair.responder.readMessage([]) }
  }

  @Test("a message has at most 65,535 bytes, including its payload")
  func longestMessage() throws {
    var pair = try HandshakePair(.xxPSK0PSK3)
    let overhead = 32 + 16
    #expect(throws: NoiseError.messageTooLong) {
      try pair.initiator.writeMessage(payload: [UInt8](repeating: 1, count: 65_536 - overhead))
    }
    let payload = [UInt8](repeating: 2, count: 65_535 - overhead)
    let message = try pair.initiator.writeMessage(payload: payload)
    #expect(message.count == 65_535)
    #expect(try pair.responder.readMessage(message) == payload)
  }

  @Test("the joiner of XXpsk0+psk3 may supply its keys one by one")
  func presharedKeysInParts() throws {
    let keys = [PresharedKey.generate(), .generate()]
    var pair = try HandshakePair(.xxPSK0PSK3, presharedKeys: [keys[0]], responderPresharedKeys: keys)
    _ = try pair.responder.readMessage(try pair.initiator.writeMessage(payload: []))
    _ = try pair.initiator.readMessage(try pair.responder.writeMessage(payload: []))
    #expect(throws: NoiseError.missingPresharedKey) { try pair.initiator.writeMessage(payload: []) }
    pair.initiator.providePresharedKey(keys[1])
    #expect(try pair.responder.readMessage(try pair.initiator.writeMessage(payload: [3])) == [3])
    #expect(pair.initiator.handshakeHash == pair.responder.handshakeHash)
  }

  @Test("errors say what to do in one sentence")
  func sentences() {
    let errors: [NoiseError] = [
      .unknownPattern("ZZ"), .missingKey, .unexpectedKey, .missingPresharedKey, .outOfTurn, .handshakeUnfinished,
      .messageTooLong, .authenticationFailed, .nonceExhausted,
    ]
    for error in errors {
      #expect(error.description.hasSuffix(".") && error.description.contains(";"))
    }
    #expect(Set(errors.map(\.description)).count == errors.count)
  }
}
