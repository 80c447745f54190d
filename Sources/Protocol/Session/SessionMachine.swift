import LatchkeyCrypto
import LatchkeyModel
import LatchkeyWire

/// One authenticated session: seals and opens frames, Hello first, keep-alive, key changes. Pure values.
///
/// Spec: Protocol/04-session.md §3 to §7, with the state diagram in §8.
public struct SessionMachine: Sendable {
  public typealias TimerEffect = SessionRules.TimerEffect

  private var transport: NoiseTransport
  private var rules: SessionRules

  /// What the peer said first; nil until then.
  public var peerHello: Hello? { rules.peerHello }

  /// Begin with what the handshake was consumed into.
  public init(transport: NoiseTransport, now: BootInstant) {
    self.transport = transport
    rules = SessionRules(now: now)
  }

  /// Seal a batch into a frame; changes this direction's key after it when that is due.
  ///
  /// - Throws: `SessionFault.violation` when the batch is over `Limits.batchBytes` or the key is used up: our own fault,
  ///   after which the session has to be closed.
  public mutating func seal(_ batch: SessionBatch, now: BootInstant) throws(SessionFault) -> [UInt8] {
    var batch = batch
    if rules.sealing(now: now) { batch.rekey = true }
    let frame: [UInt8]
    do {
      frame = try transport.seal(SessionCodec.encode(batch))
    } catch { throw .violation("a batch that cannot be sealed: \(error)") }
    if batch.rekey {
      transport.rekeySending()
      rules.rekeyed(now: now)
    }
    return frame
  }

  /// Open a frame into its batch.
  ///
  /// - Throws: `SessionFault`, the peer's fault; the session has to be closed.
  public mutating func received(_ frame: [UInt8], now: BootInstant) throws(SessionFault) -> SessionBatch {
    let plaintext: [UInt8]
    do {
      plaintext = try transport.open(frame)
    } catch { throw .authentication }
    let batch: SessionBatch
    do {
      batch = try SessionCodec.decode(plaintext)
    } catch { throw .violation(error.description) }
    if batch.rekey { transport.rekeyReceiving() }
    try rules.received(batch, now: now)
    return batch
  }

  /// The network has changed, or this machine has slept: hear at once whether the peer is still there.
  ///
  /// - Returns: the ping to send; nil when one is owed already, or the session is not open yet.
  public mutating func doubted(now: BootInstant) -> UInt64? { rules.doubted(now: now) }

  /// Whether the peer is to be called beside this session, of which nothing was heard since that was said.
  public var mayBeReplaced: Bool { rules.mayBeReplaced }

  /// When `timerFired` should be called next.
  public var nextTimer: BootInstant { rules.nextTimer }

  /// Say what is due.
  public mutating func timerFired(now: BootInstant) -> TimerEffect? { rules.timerFired(now: now) }
}
