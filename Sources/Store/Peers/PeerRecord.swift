import LatchkeyModel

/// A paired device as the database holds it, with what only sessions need.
public struct PeerRecord: Hashable, Sendable {
  public typealias State = PeerStanding.State

  public var device: RegisteredDevice
  public var state: State
  /// Zeros while there are none.
  public var keys: PairwiseKeys
  /// 32 bytes while a pairing, the first one or a later one, waits for its other half.
  public var pendingKey: [UInt8]?
  /// `host:port` of where it says that it can be called; at most `Limits.reachAddresses` and one.
  public var told: [String]
  /// While pending: when that began, and in which boot.
  public var pendingSince: BootInstant?
  public var pendingBootID: String?
  /// Whether the half-made pairing is over for the person, and only a session of the other side can still complete it.
  public var hasLapsed: Bool
  /// Unix milliseconds of the first session since the pairing; nil when there was none.
  public var connectedAt: Int64?
  /// Unix milliseconds of when two live machines were seen to use its keys; nil while it is trusted.
  public var quarantinedAt: Int64?
  /// Sessions in which its removal was sent, and calls since then that were met with silence.
  public var removalSessions: Int
  public var removalSilences: Int
  /// Which of the household's discovery keys it has, as far as is known.
  public var knownGeneration: Int64
  /// Whether new keys are on their way to it.
  public var isRotating: Bool

  /// The key in force, 32 bytes; zeros while there is none.
  public var pairwiseKey: [UInt8] { keys.present }

  /// What decides on sessions with it.
  public var standing: PeerStanding {
    PeerStanding(
      state: state, keys: keys, pendingKey: pendingKey, isQuarantined: quarantinedAt != nil,
      removalSessions: removalSessions, removalSilences: removalSilences)
  }

  /// The key that calls are answered with now; nil when no session may be opened.
  public var sessionKey: [UInt8]? { standing.sessionKey }

  /// The keys that the peer may answer a call with, most likely first; none when no session may be opened.
  public var callingKeys: [[UInt8]] { standing.callingKeys }

  /// What a person should know of it, in the order of `PeerMark`.
  public var marks: [PeerMark] {
    var marks: [PeerMark] = []
    if state == .active, connectedAt == nil { marks.append(.neverConnected) }
    if quarantinedAt != nil { marks.append(.quarantined) }
    if state == .removedUntold { marks.append(.removalUntold) }
    if state == .active, isRotating { marks.append(.rotationOutstanding) }
    return marks
  }
}
