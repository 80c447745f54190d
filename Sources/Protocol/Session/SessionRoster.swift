import LatchkeyModel

/// The sessions that one link has with its peer, by number, and which of them is kept. Pure values.
///
/// Spec: Protocol/04-session.md §6.
public struct SessionRoster: Sendable {
  /// What becomes of a session whose Hello is in.
  public enum Choice: Hashable, Sendable {
    /// End the other one, if there is one, then call `keep`.
    case keep(insteadOf: Int?)
    /// Close it as a duplicate.
    case giveWay
    /// It was given up meanwhile.
    case gone
  }

  private let own: DeviceID
  private let peer: DeviceID
  private var preferences: [Int: SessionPreference] = [:]
  /// The session with the highest number of those that a Hello was taken in, and the run of the peer that said it.
  private var latest: (number: Int, run: [UInt8])?
  /// The session that both sides have said Hello in.
  public private(set) var current: Int?
  /// The session that we dialled and said Hello in, while the answer is on its way.
  public private(set) var attempt: Int?
  /// The attempt that makes way for a session of the peer's.
  private var replacedAttempt: Int?

  public init(own: DeviceID, peer: DeviceID) {
    self.own = own
    self.peer = peer
  }

  /// A handshake that we began is over. Gives false when it is of no use: the peer called in meanwhile.
  public mutating func dialled(_ number: Int) -> Bool {
    guard current == nil, attempt == nil else { return false }
    preferences[number] = SessionPreference(initiator: own, peerRunID: [])
    attempt = number
    return true
  }

  /// A handshake that the peer began is over.
  public mutating func accepted(_ number: Int) {
    preferences[number] = SessionPreference(initiator: peer, peerRunID: [])
  }

  /// The peer's Hello is in.
  ///
  /// - Parameters:
  ///   - runID: 16 bytes, the Hello's.
  ///   - ended: the Hello's `endedSessions`.
  public mutating func greeted(_ number: Int, runID: [UInt8], ended: UInt64 = 0) -> Choice {
    guard var newer = preferences[number] else { return .gone }
    // Another run has said Hello since this session's handshake: this Hello was long on its way, and its run is dead.
    if let latest, number < latest.number, runID != latest.run { return .giveWay }
    if number >= latest?.number ?? 0 { latest = (number, runID) }
    newer.peerRunID = runID
    newer.peerEnded = ended
    preferences[number] = newer
    if newer.initiator == own { return attempt == number ? .keep(insteadOf: nil) : .gone }
    guard let other = current ?? attempt, var existing = preferences[other] else { return .keep(insteadOf: nil) }
    // Nothing is known yet of the run that our own attempt leads to: it is this one.
    if other == attempt { (existing.peerRunID, existing.peerEnded) = (runID, ended) }
    guard existing.yields(to: newer, own: own, peer: peer) else { return .giveWay }
    if other == attempt { replacedAttempt = other }
    return .keep(insteadOf: other)
  }

  /// Go on with a session; the other one has ended.
  public mutating func keep(_ number: Int) {
    if attempt == number { attempt = nil }
    current = number
  }

  /// Whether a session is under way: begun and not over.
  public func contains(_ number: Int) -> Bool { preferences[number] != nil }

  /// A session is over.
  ///
  /// - Returns: whether it was the present one, and whether it was that or our attempt at one. An attempt that made way for a
  ///   session of the peer's has not failed, and counts as neither.
  public mutating func ended(_ number: Int) -> (wasCurrent: Bool, wasOfUse: Bool) {
    preferences[number] = nil
    let was = (current: current == number, attempt: attempt == number)
    if was.current { current = nil }
    if was.attempt { attempt = nil }
    defer { if replacedAttempt == number { replacedAttempt = nil } }
    return (was.current, was.current || was.attempt && replacedAttempt != number)
  }
}
