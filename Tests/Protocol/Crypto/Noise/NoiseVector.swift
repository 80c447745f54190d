import LatchkeyProtocol
import Testing

/// A conversation in the project's own vectors.
struct NoiseVector: Decodable, Sendable, CustomTestStringConvertible {
  struct File: Decodable { let vectors: [NoiseVector] }
  struct Message: Decodable, Sendable {
    let payload: Hex
    let message: Hex
  }
  struct Step: Decodable, Sendable {
    enum Side: String, Decodable, Sendable { case initiator, responder }
    let from: Side
    let rekey: Bool?
    let plaintext: Hex?
    let message: Hex?
  }

  let pattern: String
  let prologue: Hex
  let presharedKeys: [Hex]
  let initiatorStatic: Hex
  let initiatorEphemeral: Hex
  let responderStatic: Hex
  let responderEphemeral: Hex
  let initiatorStaticPublic: Hex
  let responderStaticPublic: Hex
  let messages: [Message]
  let handshakeHash: Hex
  let transport: [Step]

  var testDescription: String { pattern }

  static let all = Vectors.own("noise.json", as: File.self).map(\.vectors)

  func handshake(_ role: NoiseRole, presharedKeys: [PresharedKey]? = nil) throws -> NoiseHandshake {
    let known = HandshakePair.knownKeys(pattern)
    let isInitiator = role == .initiator
    let remote = isInitiator ? responderStaticPublic : initiatorStaticPublic
    let remoteIsKnown = isInitiator ? known.responder : known.initiator
    return try NoiseHandshake(
      pattern: NoisePattern(name: pattern), role: role, prologue: prologue.bytes,
      staticKey: LinkKeyPair(secret: (isInitiator ? initiatorStatic : responderStatic).secret),
      ephemeralKey: LinkKeyPair(secret: (isInitiator ? initiatorEphemeral : responderEphemeral).secret),
      remoteStatic: remoteIsKnown ? LinkPublicKey(bytes: remote.bytes) : nil,
      presharedKeys: presharedKeys ?? self.presharedKeys.map { try PresharedKey(bytes: $0.bytes) })
  }
}
