import LatchkeyModel
import LatchkeyProtocol

/// One side of a session with production's rules and cipher, but without the link machine around
/// them.
public struct SessionMachine: Sendable {
  /// An instruction when a timer fires.
  public typealias TimerEffect = SessionRules.TimerEffect

  private var cipher: SessionCipher
  private var rules: SessionRules

  /// The peer's Hello; `nil` until it arrived.
  public private(set) var peerHello: Hello?

  public init(transport: NoiseTransport, now: BootInstant) {
    cipher = SessionCipher(transport)
    rules = SessionRules(now: now)
  }

  /// Encrypts a batch as a frame, and then changes this direction's key if that is due.
  public mutating func seal(_ batch: SessionBatch, now: BootInstant) throws(SessionFault) -> [UInt8] {
    var batch = batch
    if rules.sealing(now: now) { batch.rekey = true }
    if batch.rekey { rules.rekeyed(now: now) }
    return try cipher.seal(batch)
  }

  /// Decrypts a frame and returns its batch.
  public mutating func received(_ frame: [UInt8], now: BootInstant) throws(SessionFault) -> SessionBatch {
    let batch = try cipher.open(frame)
    try rules.received(batch, now: now)
    if let hello = batch.hello { peerHello = hello }
    return batch
  }

  /// Handles a change of the network or waking from sleep, and returns the ping to send.
  public mutating func doubted(now: BootInstant) -> UInt64? { rules.doubted(now: now) }

  /// A Boolean value that indicates whether the peer should be dialed in parallel to this session.
  public var mayBeReplaced: Bool { rules.mayBeReplaced }

  /// The time at which to call `timerFired`.
  public var nextTimer: BootInstant { rules.nextTimer }

  /// Returns the effect that is due; `nil` for none.
  public mutating func timerFired(now: BootInstant) -> TimerEffect? { rules.timerFired(now: now) }
}
