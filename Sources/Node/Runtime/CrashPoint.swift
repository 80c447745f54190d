import Glibc
import Synchronization

/// The named points at which a test can kill this process.
///
/// They have no effect outside of debug builds.
///
/// `LATCHKEY_CRASH_AT=pairing.inviter.pending-stored` ends the process there, as a power cut would:
/// without goodbye or flush. With `:7` appended, it ends at the seventh time.
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
  /// The operations of a transaction are done, but not committed.
  case storeUncommitted = "store.uncommitted"
  /// An item is durable, but its caller has not been told.
  case itemAccepted = "delivery.accepted"
  /// A run was passed to the connection.
  case runSent = "delivery.sent"
  /// Items were received and wait for their transaction.
  case runGathered = "delivery.gathered"
  /// Effects, receipts and watermarks are durable, but the peer has not been told.
  case runCommitted = "delivery.committed"
  /// The peer has been told, but nothing is visible here yet.
  case storedSent = "delivery.stored-sent"
  /// The peer's acknowledgement arrived, but the items are not deleted yet.
  case storedReceived = "delivery.stored-received"
  case itemsForgotten = "delivery.forgotten"
  /// A stream has to be restarted, but has not been yet.
  case restartDue = "delivery.restart-due"
  /// A stream was restarted, durably, but none of it has been sent.
  case restartMade = "delivery.restart-made"
  /// The outcome of an effect is known, but not durable.
  case effectCarriedOut = "effects.carried-out"

  #if DEBUG
    private static let wanted = getenv("LATCHKEY_CRASH_AT").map { String(cString: $0) }
    private static let name = wanted.map { String($0.prefix { $0 != ":" }) }
    private static let times = Mutex(wanted?.split(separator: ":").dropFirst().first.flatMap { Int($0) } ?? 1)
  #endif

  /// Ends the process if this point was requested.
  func reached() {
    #if DEBUG
      guard Self.name == rawValue else { return }
      let isNow = Self.times.withLock { times in
        times -= 1
        return times == 0
      }
      if isNow { kill(getpid(), SIGKILL) }
    #endif
  }
}
