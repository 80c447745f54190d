import LatchkeyProtocol
import Testing

@Suite("Noise: other projects' vectors", .enabled(if: Vectors.officialFolder != nil, "\(Vectors.officialReason)"))
struct NoiseOfficialVectorTests {
  struct File: Decodable { let vectors: [Vector] }

  struct Vector: Decodable, Sendable, CustomTestStringConvertible {
    struct Message: Decodable, Sendable {
      let payload: Hex
      let ciphertext: Hex
    }
    let protocolName: String
    let initiatorPrologue: Hex
    let initiatorPresharedKeys: [Hex]?
    let initiatorStatic: Hex?
    let initiatorEphemeral: Hex
    let initiatorRemoteStatic: Hex?
    let responderPrologue: Hex
    let responderPresharedKeys: [Hex]?
    let responderStatic: Hex?
    let responderEphemeral: Hex?
    let responderRemoteStatic: Hex?
    let handshakeHash: Hex?
    let messages: [Message]

    enum CodingKeys: String, CodingKey {
      case protocolName = "protocol_name"
      case initiatorPrologue = "init_prologue"
      case initiatorPresharedKeys = "init_psks"
      case initiatorStatic = "init_static"
      case initiatorEphemeral = "init_ephemeral"
      case initiatorRemoteStatic = "init_remote_static"
      case responderPrologue = "resp_prologue"
      case responderPresharedKeys = "resp_psks"
      case responderStatic = "resp_static"
      case responderEphemeral = "resp_ephemeral"
      case responderRemoteStatic = "resp_remote_static"
      case handshakeHash = "handshake_hash"
      case messages
    }

    var testDescription: String { protocolName }

    var pattern: NoisePattern {
      get throws {
        let parts = protocolName.split(separator: "_")
        try #require(parts.count == 5 && parts[0] == "Noise" && parts[2...] == ["25519", "ChaChaPoly", "SHA256"])
        return try NoisePattern(name: String(parts[1]))
      }
    }

    func initiator() throws -> NoiseHandshake {
      try NoiseHandshake(
        pattern: pattern, role: .initiator, prologue: initiatorPrologue.bytes,
        staticKey: try initiatorStatic.map { try LinkKeyPair(secret: $0.secret) },
        ephemeralKey: try LinkKeyPair(secret: initiatorEphemeral.secret),
        remoteStatic: try initiatorRemoteStatic.map { try LinkPublicKey(bytes: $0.bytes) },
        presharedKeys: (initiatorPresharedKeys ?? []).map { try PresharedKey(bytes: $0.bytes) })
    }

    func responder() throws -> NoiseHandshake {
      try NoiseHandshake(
        pattern: pattern, role: .responder, prologue: responderPrologue.bytes,
        staticKey: try responderStatic.map { try LinkKeyPair(secret: $0.secret) },
        ephemeralKey: try responderEphemeral.map { try LinkKeyPair(secret: $0.secret) } ?? .generate(),
        remoteStatic: try responderRemoteStatic.map { try LinkPublicKey(bytes: $0.bytes) },
        presharedKeys: (responderPresharedKeys ?? []).map { try PresharedKey(bytes: $0.bytes) })
    }
  }

  static func vectors(_ name: String) -> [Vector] {
    (try? Vectors.official(name, as: File.self).vectors) ?? []
  }

  @Test("the files can be read completely", arguments: [("noise-cacophony.json", 35), ("noise-snow.json", 28)])
  func readable(_ name: String, _ atLeast: Int) throws {
    let file: File = try Vectors.official(name)
    #expect(file.vectors.count >= atLeast)
  }

  @Test("both sides produce the messages of cacophony", arguments: vectors("noise-cacophony.json"))
  func cacophony(_ vector: Vector) throws {
    try #require(vector.handshakeHash != nil)
    try converse(vector)
  }

  @Test("both sides produce the messages of snow", arguments: vectors("noise-snow.json"))
  func snow(_ vector: Vector) throws {
    try converse(vector)
  }

  private func converse(_ vector: Vector) throws {
    var initiator = try vector.initiator()
    var responder = try vector.responder()
    var rest = vector.messages[...]
    while !initiator.isFinished, let message = rest.popFirst() {
      if initiator.isMyTurn {
        #expect(try initiator.writeMessage(payload: message.payload.bytes) == message.ciphertext.bytes)
        #expect(try responder.readMessage(message.ciphertext.bytes) == message.payload.bytes)
      } else {
        #expect(try responder.writeMessage(payload: message.payload.bytes) == message.ciphertext.bytes)
        #expect(try initiator.readMessage(message.ciphertext.bytes) == message.payload.bytes)
      }
    }
    #expect(initiator.handshakeHash == responder.handshakeHash)
    if let hash = vector.handshakeHash { #expect(initiator.handshakeHash == hash.bytes) }

    let isOneWay = try vector.pattern.isOneWay
    var (first, second) = (try initiator.finish(), try responder.finish())
    try #require(!rest.isEmpty)
    for (position, message) in zip(rest.indices, rest) {
      // The sides take turns as in the handshake; on a one-way path only the initiator sends.
      if isOneWay || position.isMultiple(of: 2) {
        #expect(try first.seal(message.payload.bytes) == message.ciphertext.bytes)
        #expect(try second.open(message.ciphertext.bytes) == message.payload.bytes)
      } else {
        #expect(try second.seal(message.payload.bytes) == message.ciphertext.bytes)
        #expect(try first.open(message.ciphertext.bytes) == message.payload.bytes)
      }
    }
  }
}
