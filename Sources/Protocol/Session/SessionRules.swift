import LatchkeyModel

/// What holds in a session whatever carries its frames: Hello first and once, keep-alive, age, and when a key is due.
///
/// Spec: Protocol/04-session.md §3 to §5, §7.
public struct SessionRules: Sendable {
  /// What the clock asks of whoever runs the session.
  public enum TimerEffect: Hashable, Sendable {
    /// Send a batch with this ping.
    case ping(UInt64)
    /// The session has been in doubt for `Limits.callBesideMilliseconds`: call the peer as if there were none; a call that is
    /// authenticated takes its place.
    case callBeside
    /// Nothing was heard for `Limits.deadMilliseconds` (before the peer's Hello `Limits.greetingMilliseconds`), or in doubt
    /// for `Limits.doubtMilliseconds`: close.
    case dead
    /// The session is a day old: say goodbye with `renew`, close, and dial anew.
    case renew
  }

  private let openedAt: BootInstant
  private var lastReceived: BootInstant
  private var lastPing: BootInstant
  private var pings: UInt64 = 0
  /// Since when the peer owes a sign of life; nil when nothing speaks against the session.
  private var doubtedAt: BootInstant?
  /// Whether `callBeside` was said in this doubt.
  private var isCalledBeside = false
  /// A Boolean value that indicates whether this side has said anything yet; a callee first hears the caller's Hello.
  private var hasSpoken = false
  private var framesSinceRekey: UInt64 = 0
  private var rekeyedAt: BootInstant
  /// What the peer said first; nil until then.
  public private(set) var peerHello: Hello?

  /// Begin at the end of a handshake.
  public init(now: BootInstant) {
    openedAt = now
    lastReceived = now
    lastPing = now
    rekeyedAt = now
  }

  /// Count a frame that is about to be sealed. Gives whether this direction's key has to change after it.
  public mutating func sealing(now: BootInstant) -> Bool {
    hasSpoken = true
    framesSinceRekey += 1
    return framesSinceRekey >= Limits.rekeyFrames || now - rekeyedAt >= Limits.rekeyMilliseconds
  }

  /// This direction's key was changed.
  public mutating func rekeyed(now: BootInstant) {
    framesSinceRekey = 0
    rekeyedAt = now
  }

  /// Take a batch that was opened.
  ///
  /// - Throws: `SessionFault`, the peer's fault; the session has to be closed.
  public mutating func received(_ batch: SessionBatch, now: BootInstant) throws(SessionFault) {
    switch (peerHello, batch.hello) {
    case (nil, let hello?):
      if let refusal = hello.refusal { throw .refused(refusal) }
      guard hello.versions.overlaps(Version.protocolRange) else { throw .version }
      // A caller that has not heard what this side holds cannot know which of its numbers mean anything here.
      guard hasSpoken || batch.goodbye != nil || batch == SessionBatch(hello: hello, rekey: batch.rekey) else {
        throw .violation("something beside the caller's Hello")
      }
      peerHello = hello
    // Whoever refuses a session may say why before anything else.
    case (nil, nil): guard batch.goodbye != nil else { throw .violation("the first batch has no Hello") }
    case (_?, _?): throw .violation("a second Hello")
    case (_?, nil): break
    }
    lastReceived = now
    doubtedAt = nil
    isCalledBeside = false
  }

  /// Takes the session for one that was heard of just now: nothing but a deliberate fault of a simulation does.
  package mutating func isHeard(now: BootInstant) {
    lastReceived = now
    doubtedAt = nil
  }

  /// The network has changed, or this machine has slept: hear at once whether the peer is still there.
  ///
  /// - Returns: the ping to send; nil when one is owed already, or the session is not open yet.
  public mutating func doubted(now: BootInstant) -> UInt64? {
    guard doubtedAt == nil, peerHello != nil else { return nil }
    doubtedAt = now
    lastPing = now
    pings += 1
    return pings
  }

  /// Whether the peer is to be called beside this session, of which nothing was heard since that was said.
  public var mayBeReplaced: Bool { isCalledBeside }

  /// When `timerFired` should be called next.
  public var nextTimer: BootInstant {
    let ping = max(lastReceived, lastPing) + Limits.keepAliveMilliseconds
    var dead = lastReceived + (peerHello == nil ? Limits.greetingMilliseconds : Limits.deadMilliseconds)
    if let doubtedAt {
      dead = min(dead, doubtedAt + (isCalledBeside ? Limits.doubtMilliseconds : Limits.callBesideMilliseconds))
    }
    return min(ping, dead, openedAt + Limits.sessionMilliseconds)
  }

  /// Returns what is due. Unless the session ends with that, `nextTimer` is later than `now` afterwards.
  public mutating func timerFired(now: BootInstant) -> TimerEffect? {
    if now - lastReceived >= (peerHello == nil ? Limits.greetingMilliseconds : Limits.deadMilliseconds) { return .dead }
    if let doubtedAt, now - doubtedAt >= Limits.doubtMilliseconds { return .dead }
    // Before the doubt, which a new session ends as well.
    if now - openedAt >= Limits.sessionMilliseconds { return .renew }
    if let doubtedAt, !isCalledBeside, now - doubtedAt >= Limits.callBesideMilliseconds {
      isCalledBeside = true
      return .callBeside
    }
    guard now - max(lastReceived, lastPing) >= Limits.keepAliveMilliseconds else { return nil }
    lastPing = now
    pings += 1
    return .ping(pings)
  }
}
