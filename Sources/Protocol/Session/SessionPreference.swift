import LatchkeyModel

/// Which of two sessions with one peer both sides keep. Spec: Protocol/04-session.md §6.
public struct SessionPreference: Sendable, Hashable {
  /// Who dialled.
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

  /// Whether `newer` takes the place of this session.
  public func yields(to newer: SessionPreference, own: DeviceID, peer: DeviceID) -> Bool {
    // The peer was started anew: the older session leads nowhere.
    if newer.peerRunID != peerRunID { return true }
    // The peer has seen the older one end, which we have not: its address was gone, or it gave us up.
    if newer.peerEnded > peerEnded { return true }
    // Whoever dials again knows that its first connection is gone.
    if newer.initiator == initiator { return true }
    return newer.initiator == min(own, peer)
  }
}
