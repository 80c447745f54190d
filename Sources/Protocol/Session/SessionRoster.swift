import LatchkeyModel

/// The sessions of one link by number, and the choice of the one that is kept.
///
/// A pure value. Spec: Protocol/04-session.md §6.
public struct SessionRoster: Sendable {
  /// The decision about a session after its Hello.
  public enum Choice: Hashable, Sendable {
    /// End the other session, if there is one, then call `keep`.
    case keep(insteadOf: Int?)
    /// Close this session as a duplicate.
    case giveWay
    /// The session was given up in the meantime.
    case gone
  }

  private let own: DeviceID
  private let peer: DeviceID
  private var preferences = FewByNumber<SessionPreference>()
  /// The session with the highest number whose Hello was received, and the peer's run in that
  /// Hello.
  private var latest: (number: Int, run: [UInt8])?
  /// The session in which both sides have sent a Hello.
  public private(set) var current: Int?
  /// The session that this side dialled and in which it sent its Hello, while it waits for the
  /// answer.
  public private(set) var attempt: Int?
  /// The attempt that gives way to a session from the peer.
  private var replacedAttempt: Int?

  public init(own: DeviceID, peer: DeviceID) { (self.own, self.peer) = (own, peer) }

  /// Adds a session that this side dialled; returns `false` if it is not needed, since the peer has
  /// called in the meantime.
  public mutating func dialled(_ number: Int) -> Bool {
    guard current == nil, attempt == nil else { return false }
    preferences[number] = SessionPreference(initiator: own, peerRunID: [])
    attempt = number
    return true
  }

  /// Adds a session that the peer dialled.
  public mutating func accepted(_ number: Int) {
    preferences[number] = SessionPreference(initiator: peer, peerRunID: [])
  }

  /// Decides about a session when the peer's Hello arrives; `runID` and `ended` are the Hello's
  /// `runID` (16 bytes) and `endedSessions`.
  public mutating func greeted(_ number: Int, runID: [UInt8], ended: UInt64 = 0) -> Choice {
    guard var newer = preferences[number] else { return .gone }
    // Another run has sent a Hello since this session's handshake. This session's process is dead.
    if let latest, number < latest.number, runID != latest.run { return .giveWay }
    if number >= latest?.number ?? 0 { latest = (number, runID) }
    newer.peerRunID = runID
    newer.peerEnded = ended
    preferences[number] = newer
    if newer.initiator == own { return attempt == number ? .keep(insteadOf: nil) : .gone }
    guard let other = current ?? attempt, var existing = preferences[other] else { return .keep(insteadOf: nil) }
    // The peer's run in our own attempt is not known yet. It is this one.
    if other == attempt { (existing.peerRunID, existing.peerEnded) = (runID, ended) }
    guard existing.yields(to: newer, own: own, peer: peer) else { return .giveWay }
    if other == attempt { replacedAttempt = other }
    return .keep(insteadOf: other)
  }

  /// Keeps a session, after the other one has ended.
  public mutating func keep(_ number: Int) {
    if attempt == number { attempt = nil }
    current = number
  }

  public func contains(_ number: Int) -> Bool { preferences[number] != nil }

  /// Removes a session that ended.
  ///
  /// Returns whether it was the current session, and whether it was the current session or this
  /// side's attempt. An attempt that gave way to a session from the peer does not count.
  public mutating func ended(_ number: Int) -> (wasCurrent: Bool, wasOfUse: Bool) {
    preferences[number] = nil
    let was = (current: current == number, attempt: attempt == number)
    if was.current { current = nil }
    if was.attempt { attempt = nil }
    defer { if replacedAttempt == number { replacedAttempt = nil } }
    return (was.current, was.current || was.attempt && replacedAttempt != number)
  }
}

/// The facts by which both sides choose one of two sessions with each other (Protocol/04-session.md
/// §6).
public struct SessionPreference: Sendable, Hashable {
  public var initiator: DeviceID
  /// The peer's `Hello.runID`.
  public var peerRunID: [UInt8]
  /// The peer's `Hello.endedSessions`.
  public var peerEnded: UInt64

  public init(initiator: DeviceID, peerRunID: [UInt8], peerEnded: UInt64 = 0) {
    (self.initiator, self.peerRunID, self.peerEnded) = (initiator, peerRunID, peerEnded)
  }

  public func yields(to newer: SessionPreference, own: DeviceID, peer: DeviceID) -> Bool {
    // The peer was restarted, so the older session is dead.
    if newer.peerRunID != peerRunID { return true }
    // The peer has seen the older session end and this side has not: the peer lost its address, or
    // gave up on us.
    if newer.peerEnded > peerEnded { return true }
    // A device that dials again knows that its first connection is dead.
    if newer.initiator == initiator { return true }
    return newer.initiator == min(own, peer)
  }
}

/// A detector of two live processes with one identity: it notices when a superseded process sends a
/// Hello again.
///
/// A late connection of a terminating process can bring its run back once, and with it the run that
/// it had superseded. A run that returns twice within `Limits.cloneMilliseconds` must still be
/// alive. A pure value of bounded size. Spec: Protocol/04-session.md §10.
public struct CloneWatch: Sendable {
  private var present: [UInt8]?
  /// The runs that were superseded by another, oldest first.
  private var superseded: [[UInt8]] = []
  /// The time at which a superseded run returned.
  private var returns: [[UInt8]: BootInstant] = [:]
  /// The largest number of superseded runs that are remembered.
  static let memory = 16

  public init() {}

  /// Records that a run has returned once before; only simulations of faults use this.
  package mutating func suspect(_ run: [UInt8], now: BootInstant) {
    superseded.append(run)
    returns[run] = now
  }

  /// Takes the run ID of a Hello in an authenticated session, and returns `true` if it proves that
  /// two live processes use this identity.
  ///
  /// `run` is `Hello.runID`, 16 bytes.
  public mutating func received(_ run: [UInt8], now: BootInstant) -> Bool {
    guard run != present else { return false }
    let isReturn = superseded.contains(run)
    superseded.removeAll { $0 == run }
    if let present { superseded.append(present) }
    if superseded.count > Self.memory { superseded.removeFirst(superseded.count - Self.memory) }
    present = run
    returns = returns.filter { now - $0.value < Limits.cloneMilliseconds }
    guard isReturn else { return false }
    return returns.updateValue(now, forKey: run) != nil
  }
}
