import LatchkeyModel

/// A pairing whose device is durably pending here, so that the other machine may complete it.
///
/// Spec: Protocol/03-pairing.md §5, §7.
struct PairingCompletion: Sendable {
  let question: PairingQuestion
  let peer: PairedPeer
  /// A Boolean value that indicates whether the device was paired before.
  ///
  /// If so, it stays paired when this pairing is cancelled.
  let wasPaired: Bool

  var device: DeviceID { peer.keys.deviceID }
}

/// The decision about a pairing that one side has not completed yet.
///
/// Spec: Protocol/03-pairing.md §5.
public enum PairingFate: Hashable, Sendable {
  /// Decide again after this many milliseconds.
  case wait(Int64)
  /// Roll it back, which restores the previous state.
  case discard
  /// Tell the person that it failed, but keep its key, so that a session with the inviter can still
  /// complete it.
  case lapse

  /// Decides about a pairing that one side has not completed yet.
  ///
  /// An inviter sends its last message only once the device is active, so it can discard the
  /// pairing. A joiner cannot know whether that message was sent, and keeps the key for another
  /// day.
  ///
  /// - `role`: The role of this device.
  /// - `hasLapsed`: Whether the pairing has lapsed already.
  /// - `since`: The time at which it became pending, or at which it lapsed.
  /// - `isThisBoot`: Whether that time belongs to the present boot of the machine.
  public init(role: DeviceRole, hasLapsed: Bool, since: BootInstant, isThisBoot: Bool, now: BootInstant) {
    let time = hasLapsed ? Limits.pairingDoubtMilliseconds : Limits.pairingCommitMilliseconds
    let rest = since + time - now
    if isThisBoot, rest > 0 {
      self = .wait(rest)
    } else {
      self = role == .parent || (hasLapsed && isThisBoot) ? .discard : .lapse
    }
  }
}
