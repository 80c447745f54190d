import LatchkeyModel

/// This device as a pairing machine sees it.
public struct PairingParty: Sendable {
  public var identity: IdentityKeyPair
  public var link: LinkKeyPair
  public var name: DeviceName
  public var role: DeviceRole

  public init(identity: IdentityKeyPair, link: LinkKeyPair, name: DeviceName, role: DeviceRole) {
    (self.identity, self.link, self.name, self.role) = (identity, link, name, role)
  }

  public var keys: DeviceKeys { DeviceKeys(identity: identity.publicKey, link: link.publicKey) }
}

/// The random values of one attempt, which are never used again (Protocol/03-pairing.md §4).
public struct PairingEntropy: Sendable {
  /// 32 bytes for the pairwise key and the digits.
  public var random: [UInt8]
  public var ephemeralKey: LinkKeyPair
  /// This side's secret in CPace; used with a typed code only.
  public var scalar: CPaceScalar
  /// The ID of the CPace run, 16 bytes; only the joiner's is used.
  public var sessionID: [UInt8]

  public init(random: [UInt8], ephemeralKey: LinkKeyPair, scalar: CPaceScalar, sessionID: [UInt8]) {
    precondition(random.count == 32 && sessionID.count == CPaceOffer.sessionIDByteCount)
    (self.random, self.ephemeralKey, self.scalar, self.sessionID) = (random, ephemeralKey, scalar, sessionID)
  }
}

/// The other device as a pairing establishes it, to be stored.
public struct PairedPeer: Sendable {
  public var keys: DeviceKeys
  public var name: DeviceName
  public var role: DeviceRole
  /// The pre-shared key of all sessions between the two devices.
  public var pairwiseKey: PresharedKey
  /// The household's discovery key, 32 bytes; on the joiner only, once the inviter has sent it.
  public var discoveryKey: [UInt8]?
}

/// An instruction to the owner of a `PairingAttempt`.
///
/// Effects are carried out in order.
public enum PairingEffect: Sendable {
  case send([UInt8])
  /// Show the question; if the person has to decide, answer with `requestedAccept` or
  /// `requestedEnd(.refused)`.
  case ask(PairingQuestion)
  /// Store the peer as pending, then call `stored`.
  case storePending(PairedPeer)
  /// Store the pending peer as active and, on the inviter, the code as used up; then call
  /// `promoted`.
  case promote(PairedPeer)
  /// Delete the pending peer from the store.
  case discard(DeviceID)
  /// Count a wrong guess, durably, before any further answer.
  case countFailure
  /// Count a run of a typed code, durably, before the next frame is sent, since the machine that
  /// answers can test one guess with it.
  case countRun
  /// Subtract the counted run again, since it was the inviter that answered.
  case creditRun
  /// Close the connection, and show the person the outcome.
  case finish(PairingOutcome)
}

/// The description of the other machine that each screen shows.
///
/// Two people compare it to know whether they see the same pairing.
public struct PairingQuestion: Hashable, Sendable {
  public let name: DeviceName
  public let role: DeviceRole
  /// Six digits, the same on both screens.
  public let digits: String

  init(_ peer: PairedPeer, digits: String) {
    name = peer.name
    role = peer.role
    self.digits = digits
  }
}

/// A pairing with a device that is durably pending here, so that the other machine may complete it
/// (Protocol/03-pairing.md §5, §7).
struct PairingCompletion: Sendable {
  let question: PairingQuestion
  let peer: PairedPeer
  /// A Boolean value that indicates whether the device was paired before; if so, it stays paired
  /// when this pairing is cancelled.
  let wasPaired: Bool

  var device: DeviceID { peer.keys.deviceID }
}

/// The decision about a pairing that one side has not completed yet (Protocol/03-pairing.md §5).
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
  /// day. `since` is when it became pending or, if it has lapsed, when it lapsed.
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
