import LatchkeyCrypto
import LatchkeyModel
import LatchkeyWire

/// One authenticated session: seals and opens frames, Hello first, keep-alive, key changes. Pure values.
///
/// Spec: Protocol/04-session.md §3 to §7, with the state diagram in §8.
public struct SessionMachine: Sendable {
  /// What the clock asks of whoever runs the session.
  public enum TimerEffect: Hashable, Sendable {
    /// Send a batch with this ping.
    case ping(UInt64)
    /// Nothing was heard for `Limits.deadMilliseconds`: close.
    case dead
    /// The session is a day old: say goodbye with `renew`, close, and dial anew.
    case renew
  }

  private var transport: NoiseTransport
  private let openedAt: BootInstant
  private var lastReceived: BootInstant
  private var lastPing: BootInstant
  private var pings: UInt64 = 0
  private var framesSinceRekey: UInt64 = 0
  private var rekeyedAt: BootInstant
  /// What the peer said first; nil until then.
  public private(set) var peerHello: Hello?

  /// Begin with what the handshake was consumed into.
  public init(transport: NoiseTransport, now: BootInstant) {
    self.transport = transport
    openedAt = now
    lastReceived = now
    lastPing = now
    rekeyedAt = now
  }

  /// Seal a batch into a frame; changes this direction's key after it when that is due.
  ///
  /// - Throws: `SessionFault.violation` when the batch is over `Limits.batchBytes` or the key is used up: our own fault,
  ///   after which the session has to be closed.
  public mutating func seal(_ batch: SessionBatch, now: BootInstant) throws(SessionFault) -> [UInt8] {
    var batch = batch
    framesSinceRekey += 1
    let isDue = framesSinceRekey >= Limits.rekeyFrames || now - rekeyedAt >= Limits.rekeyMilliseconds
    if isDue { batch.rekey = true }
    let frame: [UInt8]
    do {
      frame = try transport.seal(SessionCodec.encode(batch))
    } catch { throw .violation("a batch that cannot be sealed: \(error)") }
    if batch.rekey {
      transport.rekeySending()
      framesSinceRekey = 0
      rekeyedAt = now
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
    switch (peerHello, batch.hello) {
    case (nil, let hello?):
      if let refusal = hello.refusal { throw .refused(refusal) }
      guard hello.versions.overlaps(Version.protocolRange) else { throw .version }
      peerHello = hello
    // Whoever refuses a session may say why before anything else.
    case (nil, nil): guard batch.goodbye != nil else { throw .violation("the first batch has no Hello") }
    case (_?, _?): throw .violation("a second Hello")
    case (_?, nil): break
    }
    lastReceived = now
    return batch
  }

  /// When `timerFired` should be called next.
  public var nextTimer: BootInstant {
    let ping = max(lastReceived, lastPing) + Limits.keepAliveMilliseconds
    return min(ping, lastReceived + Limits.deadMilliseconds, openedAt + Limits.sessionMilliseconds)
  }

  /// Say what is due.
  public mutating func timerFired(now: BootInstant) -> TimerEffect? {
    if now - lastReceived >= Limits.deadMilliseconds { return .dead }
    if now - openedAt >= Limits.sessionMilliseconds { return .renew }
    guard now - max(lastReceived, lastPing) >= Limits.keepAliveMilliseconds else { return nil }
    lastPing = now
    pings += 1
    return .ping(pings)
  }
}
