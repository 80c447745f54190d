import LatchkeyModel

/// The facts by which both sides choose one of two sessions with each other.
///
/// Spec: Protocol/04-session.md §6.
public struct SessionPreference: Sendable, Hashable {
  public var initiator: DeviceID
  /// The peer's `Hello.runID`.
  public var peerRunID: [UInt8]
  /// The peer's `Hello.endedSessions`.
  public var peerEnded: UInt64

  public init(initiator: DeviceID, peerRunID: [UInt8], peerEnded: UInt64 = 0) {
    self.initiator = initiator
    self.peerRunID = peerRunID
    self.peerEnded = peerEnded
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
