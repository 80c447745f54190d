import LatchkeyModel

/// The conversion between the batches of one session and encrypted frames.
///
/// `SessionRules` decides which batch comes first and when a key is rotated. A pure value.
///
/// Spec: Protocol/04-session.md §3, §7.
public struct SessionCipher: Sendable {
  private var transport: NoiseTransport

  /// Creates a cipher from the result of the handshake.
  public init(_ transport: NoiseTransport) {
    self.transport = transport
  }

  /// Encrypts a batch into a frame, and rotates the key of this direction afterwards if the batch
  /// says so.
  ///
  /// Throws `SessionFault.violation` if the batch exceeds `Limits.batchBytes` or the key is
  /// exhausted. This is our own fault, after which the session has to be closed.
  public mutating func seal(_ batch: SessionBatch) throws(SessionFault) -> [UInt8] {
    let frame: [UInt8]
    do {
      frame = try transport.seal(SessionCodec.encode(batch))
    } catch { throw .violation("a batch that cannot be sealed: \(error)") }
    if batch.rekey { transport.rekeySending() }
    return frame
  }

  /// Decrypts a frame into its batch, and rotates the key of the other direction afterwards if the
  /// batch says so.
  ///
  /// Throws `SessionFault`, the peer's fault, after which the session has to be closed.
  public mutating func open(_ frame: [UInt8]) throws(SessionFault) -> SessionBatch {
    let plaintext: [UInt8]
    do {
      plaintext = try transport.open(frame)
    } catch { throw .authentication }
    let batch: SessionBatch
    do {
      batch = try SessionCodec.decode(plaintext)
    } catch { throw .violation(error.description) }
    if batch.rekey { transport.rekeyReceiving() }
    return batch
  }
}
