import LatchkeyModel

/// An instruction to the owner of a `PairingAttempt`.
///
/// Effects are carried out in order.
public enum PairingEffect: Sendable {
  /// Send this frame to the other machine.
  case send([UInt8])
  /// Show the question.
  ///
  /// If the person has to decide, answer with `requestedAccept` or `requestedEnd(.refused)`.
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
  /// Close the connection and tell the person the outcome.
  case finish(PairingOutcome)
}

/// The description of the other machine that each screen shows, so that two people can tell whether
/// they see the same pairing.
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
