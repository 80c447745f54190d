import LatchkeyModel

/// A paired device in the database, with the data that only sessions need.
public struct PeerRecord: Hashable, Sendable {
  public typealias State = PeerStanding.State

  public var device: RegisteredDevice
  /// The name of the device, with the time at which it was given.
  public var label: DeviceLabel
  public var state: State
  /// The pairwise keys; zeros if there are none.
  public var keys: PairwiseKeys
  /// The key of a pairing that only one side has completed so far, 32 bytes.
  public var pendingKey: [UInt8]?
  /// `host:port` of where it says that it can be called; at most `Limits.reachAddresses` and one.
  public var told: [String]
  /// The time at which a pending pairing began, and the boot in which it did.
  public var pendingSince: BootInstant?
  /// The boot in which a pending pairing began.
  public var pendingBootID: String?
  /// A Boolean value that indicates whether a pending pairing has failed for the person, so that
  /// only a session of the other side can complete it.
  public var hasLapsed: Bool
  /// The time of the first session since the pairing, in Unix milliseconds; `nil` if there was
  /// none.
  public var connectedAt: Int64?
  /// The time at which two live machines were found to use its keys, in Unix milliseconds; `nil`
  /// while it is trusted.
  public var quarantinedAt: Int64?
  /// The number of sessions in which its removal was sent, and of calls since then that were
  /// answered with silence.
  public var removalSessions: Int
  /// The number of calls since then that were answered with silence.
  public var removalSilences: Int
  /// The generation of the household's discovery key that it has, as far as is known.
  public var knownGeneration: Int64
  /// A Boolean value that indicates whether the peer, a child's machine, has told of what it holds
  /// since it was paired, and is not yet the machine of the child that it was paired for.
  public var isToBeAssigned: Bool
  /// A Boolean value that indicates whether it has become the machine of the child that it was
  /// paired for, if any.
  public var hasOwners: Bool
  /// A Boolean value that indicates whether new keys are on their way to it.
  public var isRotating: Bool

  /// The key in force, 32 bytes; zeros if there is none.
  public var pairwiseKey: [UInt8] { keys.present }

  /// The state that decides about sessions with it.
  public var standing: PeerStanding {
    PeerStanding(
      state: state, keys: keys, pendingKey: pendingKey, isQuarantined: quarantinedAt != nil,
      removalSessions: removalSessions, removalSilences: removalSilences)
  }

  /// The key with which calls are answered now; `nil` if no session may be opened.
  public var sessionKey: [UInt8]? { standing.sessionKey }

  /// The keys with which the peer may answer a call, most likely first; empty if no session may be
  /// opened.
  public var callingKeys: [[UInt8]] { standing.callingKeys }

  /// The facts that a person should know about it, in the order of `PeerMark`.
  public var marks: [PeerMark] {
    var marks: [PeerMark] = []
    if state == .active, connectedAt == nil { marks.append(.neverConnected) }
    if quarantinedAt != nil { marks.append(.quarantined) }
    if state == .removedUntold { marks.append(.removalUntold) }
    if state == .active, isRotating { marks.append(.rotationOutstanding) }
    return marks
  }
}
