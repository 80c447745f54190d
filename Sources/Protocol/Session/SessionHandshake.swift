import LatchkeyModel

/// The prologue of every session's handshake (Protocol/04-session.md §2).
private let prologue = Array("latchkey session v1".utf8) + Preamble.session.bytes

/// The dialling side of a session's handshake.
///
/// It is consumed into the session. Spec: Protocol/04-session.md §2.
public struct SessionInitiator: Sendable {
  private var handshake: NoiseHandshake
  private let pairwiseKeys: [PresharedKey]
  /// The first frame to send, after the preamble.
  public let firstFrame: [UInt8]

  /// Begins a handshake with a peer if the pairwise key is certain.
  ///
  /// `ephemeralKey` is a key pair for this handshake only.
  public init(own: LinkKeyPair, peer: LinkPublicKey, pairwiseKey: PresharedKey, ephemeralKey: LinkKeyPair) {
    self.init(own: own, peer: peer, pairwiseKeys: [pairwiseKey], ephemeralKey: ephemeralKey)
  }

  /// Begins a handshake with a peer that may answer with one of several keys.
  ///
  /// `pairwiseKeys` are sorted by likelihood, best first; `ephemeralKey` is a key pair for this
  /// handshake only. Spec: Protocol/04-session.md §9.
  public init(own: LinkKeyPair, peer: LinkPublicKey, pairwiseKeys: [PresharedKey], ephemeralKey: LinkKeyPair) {
    self.pairwiseKeys = pairwiseKeys
    do {
      handshake = try NoiseHandshake(
        pattern: .ikPSK2, role: .initiator, prologue: prologue, staticKey: own, ephemeralKey: ephemeralKey,
        remoteStatic: peer, presharedKeys: [])
      firstFrame = try handshake.writeMessage(payload: [])
    } catch { preconditionFailure("the pattern's keys are all given: \(error)") }
  }

  /// Takes the answer and returns the session's transport; throws `SessionFault.authentication`,
  /// the peer's fault.
  public consuming func received(_ frame: [UInt8]) throws(SessionFault) -> NoiseTransport {
    try answered(frame).transport
  }

  /// Takes the answer, and returns the session's transport and the index of the key with which the
  /// peer answered; throws `SessionFault.authentication`, the peer's fault.
  public consuming func answered(_ frame: [UInt8]) throws(SessionFault) -> (transport: NoiseTransport, key: Int) {
    for (place, key) in pairwiseKeys.enumerated() {
      // The handshake is a value: an attempt that fails does not change it.
      var attempt = handshake
      attempt.providePresharedKey(key)
      do {
        guard try attempt.readMessage(frame).isEmpty else { continue }
        return (try attempt.finish(), place)
      } catch { continue }
    }
    throw .authentication
  }
}

/// The called side of a session's handshake, before it knows the caller.
///
/// It is consumed into the session. Spec: Protocol/04-session.md §2.
public struct SessionResponder: Sendable {
  private var handshake: NoiseHandshake
  /// The caller according to the first frame; only the pre-shared key proves that it is the paired
  /// device.
  public let caller: LinkPublicKey

  /// Takes the first frame; throws `SessionFault.authentication` or `SessionFault.ownKey`, the
  /// peer's fault; neither is answered.
  public init(own: LinkKeyPair, ephemeralKey: LinkKeyPair, firstFrame: [UInt8]) throws(SessionFault) {
    do {
      handshake = try NoiseHandshake(
        pattern: .ikPSK2, role: .responder, prologue: prologue, staticKey: own, ephemeralKey: ephemeralKey,
        remoteStatic: nil, presharedKeys: [])
      // The first message can be replayed, so it carries nothing.
      guard try handshake.readMessage(firstFrame).isEmpty else { throw SessionFault.authentication }
    } catch { throw .authentication }
    guard let caller = handshake.remoteStatic else { throw .authentication }
    guard caller != own.publicKey else { throw .ownKey }
    self.caller = caller
  }

  /// Returns the answer to a paired caller and the session's transport.
  public consuming func accept(pairwiseKey: PresharedKey) -> (frame: [UInt8], transport: NoiseTransport) {
    handshake.providePresharedKey(pairwiseKey)
    do {
      let frame = try handshake.writeMessage(payload: [])
      return (frame, try handshake.finish())
    } catch { preconditionFailure("the PSK is given and nothing was received since: \(error)") }
  }
}

/// The conversion between the batches of one session and encrypted frames.
///
/// `SessionRules` decides which batch comes first and when a key is rotated. A pure value. Spec:
/// Protocol/04-session.md §3, §7.
public struct SessionCipher: Sendable {
  private var transport: NoiseTransport

  public init(_ transport: NoiseTransport) { self.transport = transport }

  /// Encrypts a batch into a frame, and then rotates the key of this direction if the batch says
  /// so.
  ///
  /// The function throws `SessionFault.violation`, our own fault, for more than `Limits.batchBytes`
  /// or an exhausted key. The session then has to be closed.
  public mutating func seal(_ batch: SessionBatch) throws(SessionFault) -> [UInt8] {
    let frame: [UInt8]
    do {
      frame = try transport.seal(SessionCodec.encode(batch))
    } catch { throw .violation("a batch that cannot be sealed: \(error)") }
    if batch.rekey { transport.rekeySending() }
    return frame
  }

  /// Decrypts a frame into its batch, and then rotates the key of the other direction if the batch
  /// says so.
  ///
  /// The function throws `SessionFault`, the peer's fault. The session then has to be closed.
  public mutating func open(_ frame: [UInt8]) throws(SessionFault) -> SessionBatch {
    let plaintext: [UInt8]
    do { plaintext = try transport.open(frame) } catch { throw .authentication }
    let batch: SessionBatch
    do { batch = try SessionCodec.decode(plaintext) } catch { throw .violation(error.description) }
    if batch.rekey { transport.rekeyReceiving() }
    return batch
  }
}
