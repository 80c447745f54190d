import Glibc

/// Named instructions at which a test kills this very process; nothing at all outside of debug builds.
///
/// `LATCHKEY_CRASH_AT=pairing.inviter.pending-stored` ends the process there, as a power cut would: no goodbye, no flush.
enum CrashPoint: String {
  case inviterOpening = "pairing.inviter.opening"
  case inviterAccepted = "pairing.inviter.accepted"
  case inviterPendingStored = "pairing.inviter.pending-stored"
  case inviterCommitSent = "pairing.inviter.commit-sent"
  case inviterAcknowledged = "pairing.inviter.acknowledged"
  case inviterPromoted = "pairing.inviter.promoted"
  case inviterDoneSent = "pairing.inviter.done-sent"
  case joinerDialled = "pairing.joiner.dialled"
  case joinerAccepted = "pairing.joiner.accepted"
  case joinerPendingStored = "pairing.joiner.pending-stored"
  case joinerAcknowledgementSent = "pairing.joiner.acknowledgement-sent"
  case joinerDone = "pairing.joiner.done"
  case joinerPromoted = "pairing.joiner.promoted"

  #if DEBUG
    private static let wanted = getenv("LATCHKEY_CRASH_AT").map { String(cString: $0) }
  #endif

  /// Say that this instruction is reached, on the one side or the other.
  static func reach(_ inviter: CrashPoint, _ joiner: CrashPoint, isInviter: Bool) {
    (isInviter ? inviter : joiner).reached()
  }

  /// Say that this instruction is reached.
  func reached() {
    #if DEBUG
      if Self.wanted == rawValue { kill(getpid(), SIGKILL) }
    #endif
  }
}
