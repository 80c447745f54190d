import LatchkeyModel

/// A device that is durably pending here.
///
/// Spec: Protocol/03-pairing.md §5.
public struct HalfPairing: Sendable {
  /// The pending device.
  public let peer: PairedPeer
  /// A Boolean value that indicates whether the device was paired before.
  ///
  /// If so, it stays paired when this pairing is cancelled.
  public let wasPaired: Bool

  /// Creates a pending pairing.
  public init(peer: PairedPeer, wasPaired: Bool) {
    self.peer = peer
    self.wasPaired = wasPaired
  }

  /// The ID of the pending device.
  public var device: DeviceID { peer.keys.deviceID }

  /// The decision about a pairing that one side has not completed yet.
  public enum Fate: Hashable, Sendable {
    /// Decide again after this many milliseconds.
    case wait(Int64)
    /// Roll it back, which restores the previous state.
    case discard
    /// Tell the person that it failed, but keep its key, so that a session with the inviter can still complete it.
    case lapse
  }

  /// Decides about a pairing that one side has not completed yet.
  ///
  /// An inviter sends its last message only once the device is active, so it can discard the pairing. A joiner cannot
  /// know whether that message was sent, and keeps the key for another day.
  ///
  /// - `role`: The role of this device.
  /// - `hasLapsed`: Whether the pairing has lapsed already.
  /// - `since`: The time at which it became pending, or at which it lapsed.
  /// - `isThisBoot`: Whether that time belongs to the present boot of the machine.
  public static func fate(
    role: DeviceRole, hasLapsed: Bool, since: BootInstant, isThisBoot: Bool, now: BootInstant
  ) -> Fate {
    let time = hasLapsed ? Limits.pairingDoubtMilliseconds : Limits.pairingCommitMilliseconds
    let rest = since + time - now
    if isThisBoot, rest > 0 { return .wait(rest) }
    return role == .parent || (hasLapsed && isThisBoot) ? .discard : .lapse
  }
}
