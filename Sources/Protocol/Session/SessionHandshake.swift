import LatchkeyCrypto
import LatchkeyModel
import LatchkeyWire

/// The prologue of every session's handshake. Spec: Protocol/04-session.md §2.
private let prologue = Array("latchkey session v1".utf8) + Preamble.session.bytes

/// The dialling side of a session's handshake; consumed into the session. Spec: Protocol/04-session.md §2.
public struct SessionInitiator: Sendable {
  private var handshake: NoiseHandshake
  private let pairwiseKeys: [PresharedKey]
  /// The first frame to send, after the preamble.
  public let firstFrame: [UInt8]

  /// Call a peer whose pairwise key is known for certain.
  ///
  /// - Parameter ephemeralKey: a key pair for this handshake alone.
  public init(own: LinkKeyPair, peer: LinkPublicKey, pairwiseKey: PresharedKey, ephemeralKey: LinkKeyPair) {
    self.init(own: own, peer: peer, pairwiseKeys: [pairwiseKey], ephemeralKey: ephemeralKey)
  }

  /// Call a peer that may answer with any of a few keys. Spec: Protocol/04-session.md §9.
  ///
  /// - Parameters:
  ///   - pairwiseKeys: most likely first.
  ///   - ephemeralKey: a key pair for this handshake alone.
  public init(own: LinkKeyPair, peer: LinkPublicKey, pairwiseKeys: [PresharedKey], ephemeralKey: LinkKeyPair) {
    self.pairwiseKeys = pairwiseKeys
    do {
      handshake = try NoiseHandshake(
        pattern: .ikPSK2, role: .initiator, prologue: prologue, staticKey: own, ephemeralKey: ephemeralKey,
        remoteStatic: peer, presharedKeys: [])
      firstFrame = try handshake.writeMessage(payload: [])
    } catch { preconditionFailure("the pattern's keys are all given: \(error)") }
  }

  /// Take the answer and become a session's transport.
  ///
  /// - Throws: `SessionFault.authentication`, the peer's fault.
  public consuming func received(_ frame: [UInt8]) throws(SessionFault) -> NoiseTransport {
    try answered(frame).transport
  }

  /// Take the answer, find out which key the callee used, and become a session's transport.
  ///
  /// - Returns: the transport, and the key's place in the list that was given.
  /// - Throws: `SessionFault.authentication`, the peer's fault.
  public consuming func answered(_ frame: [UInt8]) throws(SessionFault) -> (transport: NoiseTransport, key: Int) {
    for (place, key) in pairwiseKeys.enumerated() {
      // The handshake is a value: a try that fails leaves it as it was.
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

/// The side that was called, before it knows by whom. Spec: Protocol/04-session.md §2.
public struct SessionResponder: Sendable {
  private var handshake: NoiseHandshake
  /// Who calls, as proved by the first frame alone; the PSK still has to prove that it is the paired device.
  public let caller: LinkPublicKey

  /// Take the first frame.
  ///
  /// - Throws: `SessionFault.authentication` or `SessionFault.ownKey`, the peer's fault; answer neither.
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

  /// Answer a caller that is paired and become a session's transport.
  public consuming func accept(pairwiseKey: PresharedKey) -> (frame: [UInt8], transport: NoiseTransport) {
    handshake.providePresharedKey(pairwiseKey)
    do {
      let frame = try handshake.writeMessage(payload: [])
      return (frame, try handshake.finish())
    } catch { preconditionFailure("the PSK is given and nothing was received since: \(error)") }
  }
}
