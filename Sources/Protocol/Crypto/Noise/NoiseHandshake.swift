import LatchkeyModel

/// One side of a Noise handshake with the suite `25519_ChaChaPoly_SHA256`, without I/O and without
/// randomness of its own.
///
/// Write when it is this side's turn, read when it is not, and call `finish` at the end. A refused
/// message does not change the handshake, so the genuine message can still be read afterwards. The
/// value can be copied, but one ephemeral key must never be used in two different conversations:
/// create a new one for each handshake. Spec: Noise revision 34, section 5.3.
public struct NoiseHandshake: Sendable {
  /// The largest size of a Noise message, in bytes.
  public static let maximumMessageByteCount = Limits.frameBytes

  public let pattern: NoisePattern
  public let role: NoiseRole
  /// The other side's static key: given at the start, or received in a message.
  ///
  /// Only a finished handshake proves that the key is the other side's own.
  public private(set) var remoteStatic: LinkPublicKey?

  private let staticKey: LinkKeyPair?
  private let ephemeralKey: LinkKeyPair
  private var remoteEphemeral: LinkPublicKey?
  private var presharedKeys: [PresharedKey]
  private var usedPresharedKeyCount = 0
  private var symmetric: NoiseSymmetricState
  private var messageCount = 0

  /// Begins a handshake with a pattern that is the same on both sides.
  ///
  /// Both sides must already agree on the prologue, of any size: a difference makes the handshake
  /// fail. The static keys are given if the pattern needs them: this side's, and the other side's
  /// if it is known in advance. The ephemeral key is used for this handshake only. The pre-shared
  /// keys are in the order of their positions; those that are not known yet follow with
  /// `providePresharedKey`. Throws `missingKey` or `unexpectedKey`, the caller's fault.
  public init(
    pattern: NoisePattern, role: NoiseRole, prologue: [UInt8], staticKey: LinkKeyPair?, ephemeralKey: LinkKeyPair,
    remoteStatic: LinkPublicKey?, presharedKeys: [PresharedKey]
  ) throws(NoiseError) {
    guard staticKey != nil || !pattern.needsStaticKey(role) else { throw .missingKey }
    guard remoteStatic != nil || !pattern.needsRemoteStaticKey(role) else { throw .missingKey }
    // The pattern does not verify this key, but the caller would rely on it.
    guard remoteStatic == nil || pattern.needsRemoteStaticKey(role) else { throw .unexpectedKey }
    guard presharedKeys.count <= pattern.presharedKeyCount else { throw .unexpectedKey }
    Sodium.prepare()
    self.pattern = pattern
    self.role = role
    self.staticKey = staticKey
    self.ephemeralKey = ephemeralKey
    self.remoteStatic = remoteStatic
    self.presharedKeys = presharedKeys
    symmetric = NoiseSymmetricState(protocolName: pattern.protocolName)
    symmetric.mixHash(prologue)
    let initiatorStatic = role == .initiator ? staticKey?.publicKey : remoteStatic
    let responderStatic = role == .initiator ? remoteStatic : staticKey?.publicKey
    if pattern.initiatorStaticIsKnown, let initiatorStatic { symmetric.mixHash(initiatorStatic.bytes) }
    if pattern.responderStaticIsKnown, let responderStatic { symmetric.mixHash(responderStatic.bytes) }
  }

  public var isFinished: Bool { messageCount == pattern.messages.count }

  public var isMyTurn: Bool { !isFinished && NoisePattern.sender(of: messageCount) == role }

  /// The hash of the whole handshake, 32 bytes.
  ///
  /// Once the handshake is finished, it is the same on both sides and unique to this session.
  public var handshakeHash: [UInt8] { symmetric.handshakeHash }

  /// Adds the next pre-shared key before the message that uses it.
  ///
  /// A side needs this if only the first message shows which key to use. More keys than positions
  /// are a programming error.
  public mutating func providePresharedKey(_ key: PresharedKey) {
    precondition(presharedKeys.count < pattern.presharedKeyCount, "the pattern has no place for another preshared key")
    presharedKeys.append(key)
  }

  /// Returns the next message to send, at most 65,535 bytes.
  ///
  /// The pattern determines whether and for whom the payload is encrypted. Throws `outOfTurn`,
  /// `messageTooLong` or `missingPresharedKey`, the caller's fault; the state does not change.
  public mutating func writeMessage(payload: [UInt8]) throws(NoiseError) -> [UInt8] {
    guard isMyTurn else { throw .outOfTurn }
    var next = self
    var message: [UInt8] = []
    for token in pattern.messages[messageCount] { try next.write(token, to: &message) }
    message += try next.symmetric.encryptAndHash(payload)
    guard message.count <= Self.maximumMessageByteCount else { throw .messageTooLong }
    next.messageCount += 1
    self = next
    return message
  }

  /// Reads the other side's next message, in the length in which it was sent, and returns its
  /// payload.
  ///
  /// Throws `authenticationFailed`, the peer's fault, or `outOfTurn` or `missingPresharedKey`, the
  /// caller's; the state does not change.
  public mutating func readMessage(_ message: [UInt8]) throws(NoiseError) -> [UInt8] {
    guard !isFinished, !isMyTurn else { throw .outOfTurn }
    guard message.count <= Self.maximumMessageByteCount else { throw .authenticationFailed }
    var next = self
    var rest = message[...]
    for token in pattern.messages[messageCount] { try next.read(token, from: &rest) }
    let payload = try next.symmetric.decryptAndHash([UInt8](rest))
    next.messageCount += 1
    self = next
    return payload
  }

  /// Returns the transport that the finished handshake establishes; throws `handshakeUnfinished`,
  /// the caller's fault.
  public consuming func finish() throws(NoiseError) -> NoiseTransport {
    guard isFinished else { throw .handshakeUnfinished }
    let (initiator, responder) = symmetric.split()
    let isInitiator = role == .initiator
    let first: NoiseCipher? = initiator
    let second: NoiseCipher? = pattern.isOneWay ? nil : responder
    return NoiseTransport(
      sending: isInitiator ? first : second, receiving: isInitiator ? second : first, handshakeHash: handshakeHash)
  }

  private mutating func write(_ token: NoiseToken, to message: inout [UInt8]) throws(NoiseError) {
    switch token {
    case .e:
      message += ephemeralKey.publicKey.bytes
      mixEphemeral(ephemeralKey.publicKey)
    case .s:
      guard let staticKey else { throw .missingKey }
      message += try symmetric.encryptAndHash(staticKey.publicKey.bytes)
    case .ee, .es, .se, .ss, .psk: try mix(token)
    }
  }

  private mutating func read(_ token: NoiseToken, from message: inout ArraySlice<UInt8>) throws(NoiseError) {
    switch token {
    case .e:
      let key = try Self.publicKey(try Self.take(LinkPublicKey.byteCount, from: &message))
      remoteEphemeral = key
      mixEphemeral(key)
    case .s:
      let count = LinkPublicKey.byteCount + (symmetric.hasKey ? NoiseCipher.tagByteCount : 0)
      remoteStatic = try Self.publicKey(try symmetric.decryptAndHash(try Self.take(count, from: &message)))
    case .ee, .es, .se, .ss, .psk: try mix(token)
    }
  }

  private mutating func mixEphemeral(_ key: LinkPublicKey) {
    symmetric.mixHash(key.bytes)
    // With pre-shared keys, the ephemeral key makes every encryption key unique. Spec: Noise
    // revision 34, section 9.2.
    if pattern.presharedKeyCount > 0 { symmetric.mixKey(SecretBytes(key.bytes)) }
  }

  private mutating func mix(_ token: NoiseToken) throws(NoiseError) {
    switch (token, role) {
    case (.ee, _): try mixSecret(ephemeralKey, remoteEphemeral)
    case (.ss, _): try mixSecret(staticKey, remoteStatic)
    case (.es, .initiator), (.se, .responder): try mixSecret(ephemeralKey, remoteStatic)
    case (.es, .responder), (.se, .initiator): try mixSecret(staticKey, remoteEphemeral)
    case (.psk, _):
      guard usedPresharedKeyCount < presharedKeys.count else { throw .missingPresharedKey }
      symmetric.mixKeyAndHash(presharedKeys[usedPresharedKeyCount].secret)
      usedPresharedKeyCount += 1
    case (.e, _), (.s, _): break
    }
  }

  private mutating func mixSecret(_ local: LinkKeyPair?, _ remote: LinkPublicKey?) throws(NoiseError) {
    guard let local, let remote else { throw .missingKey }
    do { symmetric.mixKey(try local.diffieHellman(remote)) } catch { throw .authenticationFailed }
  }

  private static func publicKey(_ bytes: [UInt8]) throws(NoiseError) -> LinkPublicKey {
    do { return try LinkPublicKey(bytes: bytes) } catch { throw .authenticationFailed }
  }

  private static func take(_ count: Int, from message: inout ArraySlice<UInt8>) throws(NoiseError) -> [UInt8] {
    guard message.count >= count else { throw .authenticationFailed }
    defer { message = message.dropFirst(count) }
    return [UInt8](message.prefix(count))
  }
}

public enum NoiseRole: Sendable, Hashable {
  /// The side that sends the first message.
  case initiator
  case responder
}
