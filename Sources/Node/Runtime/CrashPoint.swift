import Glibc
import Synchronization

/// Named instructions at which a test kills this very process; nothing at all outside of debug builds.
///
/// `LATCHKEY_CRASH_AT=pairing.inviter.pending-stored` ends the process there, as a power cut would: no goodbye, no flush;
/// with `:7` behind it at the seventh time.
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
  /// The work of a transaction is done, and nothing of it is committed.
  case storeUncommitted = "store.uncommitted"
  /// An item is durable, and whoever gave it has not heard so.
  case itemAccepted = "delivery.accepted"
  /// A run is handed to the connection.
  case runSent = "delivery.sent"
  /// Items have come in and wait for their transaction.
  case runGathered = "delivery.gathered"
  /// Effects, receipts and watermarks are durable; the peer is not told.
  case runCommitted = "delivery.committed"
  /// The peer is told; nobody here is.
  case storedSent = "delivery.stored-sent"
  /// The peer's word is here; the items are not forgotten yet.
  case storedReceived = "delivery.stored-received"
  /// The items are forgotten.
  case itemsForgotten = "delivery.forgotten"
  /// A stream has to begin anew, and does not yet.
  case restartDue = "delivery.restart-due"
  /// A stream has begun anew, durably; nothing of it is sent.
  case restartMade = "delivery.restart-made"

  #if DEBUG
    private static let wanted = getenv("LATCHKEY_CRASH_AT").map { String(cString: $0) }
    private static let name = wanted.map { String($0.prefix { $0 != ":" }) }
    private static let times = Mutex(wanted?.split(separator: ":").dropFirst().first.flatMap { Int($0) } ?? 1)
  #endif

  /// Say that this instruction is reached.
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
