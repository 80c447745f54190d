import LatchkeyCrypto
import LatchkeyModel
import LatchkeyWire

/// Turns the batches of one session into sealed frames, and back. Pure values.
///
/// Which batch comes first, and when a key has to change, is decided by `SessionRules`. Spec: Protocol/04-session.md §3, §7.
public struct SessionCipher: Sendable {
  private var transport: NoiseTransport

  /// Begin with what the handshake was consumed into.
  public init(_ transport: NoiseTransport) {
    self.transport = transport
  }

  /// Seal a batch into a frame; this direction's key changes after it if the batch says so.
  ///
  /// - Throws: `SessionFault.violation` when the batch is over `Limits.batchBytes` or the key is used up: our own fault,
  ///   after which the session has to be closed.
  public mutating func seal(_ batch: SessionBatch) throws(SessionFault) -> [UInt8] {
    let frame: [UInt8]
    do {
      frame = try transport.seal(SessionCodec.encode(batch))
    } catch { throw .violation("a batch that cannot be sealed: \(error)") }
    if batch.rekey { transport.rekeySending() }
    return frame
  }

  /// Open a frame into its batch; the other direction's key changes after it if the batch says so.
  ///
  /// - Throws: `SessionFault`, the peer's fault; the session has to be closed.
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
