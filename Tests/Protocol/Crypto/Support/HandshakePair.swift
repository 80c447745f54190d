import LatchkeyProtocol

/// Both sides of a handshake with any pattern.
struct HandshakePair {
  var initiator: NoiseHandshake
  var responder: NoiseHandshake

  /// Creates both sides with new keys; the responder's preshared keys are the initiator's by
  /// default.
  init(
    _ pattern: NoisePattern, initiatorPrologue: [UInt8] = [1, 2], responderPrologue: [UInt8] = [1, 2],
    presharedKeys: [PresharedKey]? = nil, responderPresharedKeys: [PresharedKey]? = nil
  ) throws {
    let initiatorStatic = LinkKeyPair.generate()
    let responderStatic = LinkKeyPair.generate()
    let keys = presharedKeys ?? (0..<pattern.presharedKeyCount).map { _ in PresharedKey.generate() }
    let (initiatorIsKnown, responderIsKnown) = Self.knownKeys(pattern.name)
    initiator = try NoiseHandshake(
      pattern: pattern, role: .initiator, prologue: initiatorPrologue, staticKey: initiatorStatic,
      ephemeralKey: .generate(), remoteStatic: responderIsKnown ? responderStatic.publicKey : nil, presharedKeys: keys)
    responder = try NoiseHandshake(
      pattern: pattern, role: .responder, prologue: responderPrologue, staticKey: responderStatic,
      ephemeralKey: .generate(), remoteStatic: initiatorIsKnown ? initiatorStatic.publicKey : nil,
      presharedKeys: responderPresharedKeys ?? keys)
  }

  /// Returns which static keys are known before the first message, according to the letters of the
  /// pattern.
  static func knownKeys(_ name: String) -> (initiator: Bool, responder: Bool) {
    let letters = Array(name.prefix { $0.isUppercase })
    return letters.count == 1 ? (letters == ["K"], true) : (letters[0] == "K", letters[1] == "K")
  }

  /// The side that reads the next message.
  var reader: NoiseHandshake {
    get { initiator.isMyTurn ? responder : initiator }
    set { if initiator.isMyTurn { responder = newValue } else { initiator = newValue } }
  }

  /// Writes the next message of the side whose turn it is.
  mutating func write(_ payload: [UInt8]) throws -> [UInt8] {
    if initiator.isMyTurn {
      try initiator.writeMessage(payload: payload)
    } else {
      try responder.writeMessage(payload: payload)
    }
  }

  /// Exchanges the rest of the handshake.
  mutating func complete() throws {
    while !initiator.isFinished || !responder.isFinished {
      if initiator.isMyTurn {
        _ = try responder.readMessage(try initiator.writeMessage(payload: [7]))
      } else {
        _ = try initiator.readMessage(try responder.writeMessage(payload: [8]))
      }
    }
  }
}
