import LatchkeyModel

/// A paired device as the database holds it, with what only sessions need.
public struct PeerRecord: Hashable, Sendable {
  public enum State: Int64, Sendable, Hashable {
    /// Half paired for the first time: the other half has `Limits.pairingCommitMilliseconds`.
    case pending = 1
    case active = 2
    /// Removed here, and not told yet: it may open a session to hear just that.
    case removedUntold = 3
    /// Removed for good.
    case removed = 4
  }

  public var device: RegisteredDevice
  public var state: State
  /// 32 bytes; zeros while there is none.
  public var pairwiseKey: [UInt8]
  /// 32 bytes while a pairing, the first one or a later one, waits for its other half.
  public var pendingKey: [UInt8]?
  /// `host:port` of the last authenticated session that we dialled.
  public var lastAddress: String?
  /// While pending: when that began, and in which boot.
  public var pendingSince: BootInstant?
  public var pendingBootID: String?
  /// Whether the half-made pairing is over for the person, and only a session of the other side can still complete it.
  public var hasLapsed: Bool

  /// The key that sessions use now: a half-made pairing's, so that a session can complete it; nil when none may be opened.
  public var sessionKey: [UInt8]? {
    if let pendingKey { return pendingKey }
    switch state {
    case .active, .removedUntold: return pairwiseKey
    case .pending, .removed: return nil
    }
  }
}
