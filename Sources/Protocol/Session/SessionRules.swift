import LatchkeyModel

/// The rules of a session that do not depend on its transport: Hello first and once, keep-alive,
/// age, and the rotation of keys (Protocol/04-session.md §3 to §5, §7).
public struct SessionRules: Sendable {
  /// An instruction to the interpreter when a timer fires.
  public enum TimerEffect: Hashable, Sendable {
    /// Send a batch with this ping.
    case ping(UInt64)
    /// Call the peer as if there were no session, since this one has been in doubt for
    /// `Limits.callBesideMilliseconds`; a call that is authenticated replaces it.
    case callBeside
    /// Close the session: nothing was received for `Limits.deadMilliseconds`
    /// (`Limits.greetingMilliseconds` before the peer's Hello), or it has been in doubt for
    /// `Limits.doubtMilliseconds`.
    case dead
    /// Send the goodbye `renew`, close, and dial again, since the session is a day old.
    case renew
  }

  private let openedAt: BootInstant
  private var lastReceived: BootInstant
  private var lastPing: BootInstant
  private var pings: UInt64 = 0
  /// The time since which the session is in doubt; `nil` if it is not.
  private var doubtedAt: BootInstant?
  /// A Boolean value that indicates whether `callBeside` was returned in this doubt.
  private var isCalledBeside = false
  /// A Boolean value that indicates whether this side has sent anything yet; the called side first
  /// waits for the caller's Hello.
  private var hasSpoken = false
  private var framesSinceRekey: UInt64 = 0
  private var rekeyedAt: BootInstant
  /// A Boolean value that indicates whether the peer's Hello has arrived.
  private var hasPeerHello = false

  public init(now: BootInstant) {
    openedAt = now
    lastReceived = now
    lastPing = now
    rekeyedAt = now
  }

  /// Counts a frame that is about to be encrypted, and returns whether the key of this direction
  /// has to be rotated after it.
  public mutating func sealing(now: BootInstant) -> Bool {
    hasSpoken = true
    framesSinceRekey += 1
    return framesSinceRekey >= Limits.rekeyFrames || now - rekeyedAt >= Limits.rekeyMilliseconds
  }

  public mutating func rekeyed(now: BootInstant) {
    framesSinceRekey = 0
    rekeyedAt = now
  }

  /// Takes a batch that was decrypted.
  ///
  /// The function throws `SessionFault`, the peer's fault. The session then has to be closed.
  public mutating func received(_ batch: SessionBatch, now: BootInstant) throws(SessionFault) {
    switch (hasPeerHello, batch.hello) {
    case (false, let hello?):
      if let refusal = hello.refusal { throw .refused(refusal) }
      guard hello.versions.overlaps(Version.protocolRange) else { throw .version }
      // A caller without this side's Hello cannot know which of its numbers are valid here.
      guard hasSpoken || batch.goodbye != nil || batch == SessionBatch(hello: hello, rekey: batch.rekey)
      else { throw .violation("something beside the caller's Hello") }
      hasPeerHello = true
    // A side that refuses the session may state the reason before anything else.
    case (false, nil): guard batch.goodbye != nil else { throw .violation("the first batch has no Hello") }
    case (true, _?): throw .violation("a second Hello")
    case (true, nil): break
    }
    lastReceived = now
    doubtedAt = nil
    isCalledBeside = false
  }

  /// Treats the session as if it had just received something; only simulations of faults use this.
  package mutating func isHeard(now: BootInstant) {
    lastReceived = now
    doubtedAt = nil
  }

  /// Returns the ping that checks whether the peer is still there; `nil` if an answer is awaited
  /// already, or the session is not open yet.
  ///
  /// It is needed after the network has changed or this machine has slept.
  public mutating func doubted(now: BootInstant) -> UInt64? {
    guard doubtedAt == nil, hasPeerHello else { return nil }
    doubtedAt = now
    lastPing = now
    pings += 1
    return pings
  }

  /// A Boolean value that indicates whether to call the peer beside this session, which has been
  /// silent since `callBeside` was returned.
  public var mayBeReplaced: Bool { isCalledBeside }

  /// The time at which `timerFired` should be called next.
  public var nextTimer: BootInstant {
    let ping = max(lastReceived, lastPing) + Limits.keepAliveMilliseconds
    var dead = lastReceived + (hasPeerHello ? Limits.deadMilliseconds : Limits.greetingMilliseconds)
    if let doubtedAt {
      dead = min(dead, doubtedAt + (isCalledBeside ? Limits.doubtMilliseconds : Limits.callBesideMilliseconds))
    }
    return min(ping, dead, openedAt + Limits.sessionMilliseconds)
  }

  /// Returns the effect that is due, if any; unless the session ends with it, `nextTimer` is later
  /// than `now` afterwards.
  public mutating func timerFired(now: BootInstant) -> TimerEffect? {
    if now - lastReceived >= (hasPeerHello ? Limits.deadMilliseconds : Limits.greetingMilliseconds) { return .dead }
    if let doubtedAt, now - doubtedAt >= Limits.doubtMilliseconds { return .dead }
    // Precedes the doubt, which a new session ends as well.
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

/// A fault of the peer in a session.
///
/// The connection is closed; before the end of the handshake, no answer is sent.
public enum SessionFault: Error, Hashable, Sendable, CustomStringConvertible {
  /// The bytes were not created by the owner of the expected keys.
  case authentication
  case ownKey
  /// A message is malformed or out of place.
  case violation(String)
  case refused(Hello.Refusal)
  case version

  /// A clause that describes the fault to a person.
  public var description: String {
    switch self {
    case .authentication: "the other side did not prove that it is the paired device"
    case .ownKey: "the address leads back to this machine"
    case .violation(let what): "the other side broke the protocol: \(what)"
    case .refused(.version), .version: "the versions of the two machines do not work together; update the older machine"
    case .refused(.shuttingDown): "the other side is shutting down"
    case .refused(.duplicateIdentity): "another machine uses the same keys"
    }
  }
}
