import LatchkeyModel

@testable import LatchkeyProtocol

/// An attacker who knows the typed code and searches for a random number that results in the digits
/// he wants.
struct GrindingPeer {
  let party: PairingParty
  let code: TypedCode
  private let scalar = CPaceScalar.generate()
  private let ephemeralKey = LinkKeyPair.generate()

  init(_ role: DeviceRole, _ code: TypedCode) throws {
    party = PairingParty(identity: .generate(), link: .generate(), name: try DeviceName("Mallory"), role: role)
    self.code = code
  }

  private var preamble: Preamble { .typedPairing(discriminator: code.discriminator) }
  private var versions: VersionRange { VersionRange(Version.protocolRange) }

  private func agreement(_ role: CPaceRole, _ sessionID: [UInt8]) throws -> CPace {
    try CPace(
      role: role, password: code.secret,
      channelIdentifier: PairingSecrets.channelIdentifier(preamble, joinerRole: .child), sessionID: sessionID,
      associatedData: versions.bytes, scalar: scalar)
  }

  private func handshake(_ role: NoiseRole, _ secret: SecretBytes, _ exchange: [UInt8]) -> NoiseHandshake {
    PairingSecrets.handshake(
      role, own: party, ephemeralKey: ephemeralKey, secret: secret,
      prologue: PairingSecrets.prologue(preamble, joinerRole: .child, exchange: exchange))
  }

  private func introduction(_ random: [UInt8]) -> [UInt8] {
    PairingCodec.encode(
      PairingIntroduction(
        identityKey: party.identity.publicKey.bytes, name: party.name.text, role: party.role, random: random))
  }

  /// Tries random numbers until the digits end as wanted; nil after many more than it should take.
  static func grind(_ wanted: Substring, _ digits: ([UInt8]) -> String) -> [UInt8]? {
    for _ in 0..<100_000 {
      let random = SecureRandom.bytes(32)
      if digits(random).hasSuffix(wanted) { return random }
    }
    return nil
  }

  /// Joins, and sends a different number than it committed to once it knows the inviter's number.
  ///
  /// - Returns: The answer of the inviter.
  func join(on stream: ByteStream, digitsEnd wanted: Substring) throws -> [UInt8]? {
    try join(on: stream) { inviter, random, _ in
      let found = Self.grind(wanted) {
        PairingSecrets.digits(inviter: inviter, joiner: party.keys, inviterRandom: random, joinerRandom: $0)
      }
      guard let found else { throw LabFault("nothing was found") }
      return found
    }
  }

  /// Joins with the number that it committed to, and with its own role, which may differ from the
  /// prologue's.
  ///
  /// - Returns: what the inviter says to that.
  func joinAsCommitted(on stream: ByteStream) throws -> [UInt8]? {
    try join(on: stream) { _, _, committed in committed }
  }

  private func join(
    on stream: ByteStream,
    choosing choose: (_ inviter: DeviceKeys, _ inviterRandom: [UInt8], _ committed: [UInt8]) throws -> [UInt8]
  ) throws -> [UInt8]? {
    let random = SecureRandom.bytes(32)
    let sessionID = SecureRandom.bytes(16)
    let agreement = try agreement(.initiator, sessionID)
    let offer = CPaceOffer(sessionID: sessionID, share: agreement.share, versions: versions)
    stream.write(preamble.bytes)
    stream.write(frame: offer.frame)
    guard let frame = stream.readFrame(), let answer = CPaceAnswer(frame: frame) else { throw LabFault("no answer") }
    let key = try agreement.finish(remoteShare: answer.share, remoteAssociatedData: answer.versions.bytes)
    var handshake = handshake(.initiator, key.intermediateSessionKey, offer.frame + frame)
    let committed = PairingSecrets.joinerCommitment(keys: party.keys, random: random)
    stream.write(
      frame: try handshake.writeMessage(payload: PairingCodec.encode(PairingOpening(commitment: committed))))
    guard let second = stream.readFrame() else { throw LabFault("no second message") }
    let theirs = try PairingCodec.introduction(try handshake.readMessage(second))
    guard let link = handshake.remoteStatic else { throw LabFault("no key") }
    let inviter = DeviceKeys(identity: try IdentityPublicKey(bytes: theirs.identityKey), link: link)
    let said = try choose(inviter, theirs.random, random)
    stream.write(frame: try handshake.writeMessage(payload: introduction(said)))
    return stream.readFrame()
  }

  /// Invites, and repeats the second message with a suitable number once it knows the joiner's
  /// number.
  ///
  /// - Returns: the length of what the joiner had said before its number, and what it says to the
  ///   second try.
  func invite(on stream: ByteStream, digitsEnd wanted: Substring) throws -> (before: Int, after: [UInt8]?) {
    guard let frame = stream.readFrame(), let offer = CPaceOffer(frame: frame) else { throw LabFault("no offer") }
    let agreement = try agreement(.responder, offer.sessionID)
    let answer = CPaceAnswer(share: agreement.share, versions: versions).frame
    let key = try agreement.finish(remoteShare: offer.share, remoteAssociatedData: offer.versions.bytes)
    var handshake = handshake(.responder, key.intermediateSessionKey, frame + answer)
    stream.write(frame: answer)
    guard let first = stream.readFrame() else { throw LabFault("no first message") }
    let opening = try handshake.readMessage(first)
    _ = try PairingCodec.opening(opening)
    var again = handshake
    stream.write(frame: try handshake.writeMessage(payload: introduction(SecureRandom.bytes(32))))
    guard let third = stream.readFrame() else { throw LabFault("no third message") }
    let theirs = try PairingCodec.introduction(try handshake.readMessage(third))
    guard let link = handshake.remoteStatic else { throw LabFault("no key") }
    let joiner = DeviceKeys(identity: try IdentityPublicKey(bytes: theirs.identityKey), link: link)
    let found = Self.grind(wanted) {
      PairingSecrets.digits(inviter: party.keys, joiner: joiner, inviterRandom: $0, joinerRandom: theirs.random)
    }
    guard let found else { throw LabFault("nothing was found") }
    stream.write(frame: try again.writeMessage(payload: introduction(found)))
    _ = stream.readFrame()  // Its proof, sent before it has seen the second try.
    return (opening.count, stream.readFrame())
  }
}
