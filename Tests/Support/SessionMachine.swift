import LatchkeyCrypto
import LatchkeyModel
import LatchkeyProtocol

/// One end of a session as a peer of ours has it: production's rules and cipher, with nothing that decides between
/// them.
public struct SessionMachine: Sendable {
  /// An instruction when a timer fires.
  public typealias TimerEffect = SessionRules.TimerEffect

  private var cipher: SessionCipher
  private var rules: SessionRules

  /// What the peer said first; nil until then.
  public var peerHello: Hello? { rules.peerHello }

  /// Begin with what the handshake was consumed into.
  public init(transport: NoiseTransport, now: BootInstant) {
    cipher = SessionCipher(transport)
    rules = SessionRules(now: now)
  }

  /// Seal a batch into a frame; changes this direction's key after it when that is due.
  public mutating func seal(_ batch: SessionBatch, now: BootInstant) throws(SessionFault) -> [UInt8] {
    var batch = batch
    if rules.sealing(now: now) { batch.rekey = true }
    if batch.rekey { rules.rekeyed(now: now) }
    return try cipher.seal(batch)
  }

  /// Open a frame into its batch.
  public mutating func received(_ frame: [UInt8], now: BootInstant) throws(SessionFault) -> SessionBatch {
    let batch = try cipher.open(frame)
    try rules.received(batch, now: now)
    return batch
  }

  /// The network has changed, or this machine has slept.
  ///
  /// Returns the ping to send.
  public mutating func doubted(now: BootInstant) -> UInt64? { rules.doubted(now: now) }

  /// Whether the peer is to be called beside this session.
  public var mayBeReplaced: Bool { rules.mayBeReplaced }

  /// When `timerFired` should be called next.
  public var nextTimer: BootInstant { rules.nextTimer }

  /// Say what is due.
  public mutating func timerFired(now: BootInstant) -> TimerEffect? { rules.timerFired(now: now) }
}
