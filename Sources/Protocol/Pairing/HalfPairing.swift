import LatchkeyModel

/// A device that is durably pending here. Spec: Protocol/03-pairing.md §5.
public struct HalfPairing: Sendable {
  public let peer: PairedPeer
  /// A Boolean value that indicates whether the device was paired before; breaking off leaves it so.
  public let wasPaired: Bool

  public init(peer: PairedPeer, wasPaired: Bool) {
    self.peer = peer
    self.wasPaired = wasPaired
  }

  public var device: DeviceID { peer.keys.deviceID }

  /// The decision about a half-made pairing that is not completed yet.
  public enum Fate: Hashable, Sendable {
    /// Look at it again after this many milliseconds.
    case wait(Int64)
    /// Roll it back: what was before is in force again.
    case discard
    /// It is over for the person; its key is kept so that a session of the inviter can still complete it.
    case lapse
  }

  /// Decides what becomes of a half-made pairing.
  ///
  /// An inviter says its last word only when the device is active, so it can forget. A joiner cannot know whether it was
  /// said, and keeps the key for another day.
  ///
  /// - Parameters:
  ///   - role: this device's.
  ///   - hasLapsed: whether it lapsed already.
  ///   - since: when it became pending, or when it lapsed.
  ///   - isThisBoot: whether that was in the present boot of the machine.
  public static func fate(
    role: DeviceRole, hasLapsed: Bool, since: BootInstant, isThisBoot: Bool, now: BootInstant
  ) -> Fate {
    let time = hasLapsed ? Limits.pairingDoubtMilliseconds : Limits.pairingCommitMilliseconds
    let rest = since + time - now
    if isThisBoot, rest > 0 { return .wait(rest) }
    return role == .parent || (hasLapsed && isThisBoot) ? .discard : .lapse
  }
}
