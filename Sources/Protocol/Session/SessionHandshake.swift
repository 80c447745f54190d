import LatchkeyCrypto
import LatchkeyModel
import LatchkeyWire

/// The prologue of every session's handshake. Spec: Protocol/04-session.md §2.
private let prologue = Array("latchkey session v1".utf8) + Preamble.session.bytes

/// The dialling side of a session's handshake; consumed into the session. Spec: Protocol/04-session.md §2.
public struct SessionInitiator: Sendable {
  private var handshake: NoiseHandshake
  /// The first frame to send, after the preamble.
  public let firstFrame: [UInt8]

  /// - Parameter ephemeralKey: a key pair for this handshake alone.
  public init(own: LinkKeyPair, peer: LinkPublicKey, pairwiseKey: PresharedKey, ephemeralKey: LinkKeyPair) {
    do {
      handshake = try NoiseHandshake(
        pattern: .ikPSK2, role: .initiator, prologue: prologue, staticKey: own, ephemeralKey: ephemeralKey,
        remoteStatic: peer, presharedKeys: [pairwiseKey])
      firstFrame = try handshake.writeMessage(payload: [])
    } catch { preconditionFailure("the pattern's keys are all given: \(error)") }
  }

  /// Take the answer and become a session's transport.
  ///
  /// - Throws: `SessionFault.authentication`, the peer's fault.
  public consuming func received(_ frame: [UInt8]) throws(SessionFault) -> NoiseTransport {
    do {
      guard try handshake.readMessage(frame).isEmpty else { throw SessionFault.authentication }
      return try handshake.finish()
    } catch { throw .authentication }
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
