/// Every bound of the protocol in one place.
///
/// Spec: Protocol/01-overview.md §6.
public enum Limits {
  /// Bytes of a device's name, of the software's version and of a zone's name.
  public static let nameBytes = 64
  /// Bytes of an application's ID and of its display name.
  public static let appIDBytes = 255
  /// Bytes of a matcher's value, of a reason and of a pairing code as it is typed or pasted.
  public static let lineBytes = 1_024
  /// Bytes of a message to a person, of a line that a person types, and of a part of a request's path.
  public static let messageBytes = 4_096
  /// Bytes of a host's name or numeric address.
  public static let hostBytes = 255
  /// Bytes of a Noise message, and so of a frame's body.
  public static let frameBytes = 65_535
  /// Bytes of plaintext in one frame: the frame less the 16-byte tag.
  public static let batchBytes = frameBytes - 16
  /// Bytes of an item's body.
  public static let itemBodyBytes = 32_768
  /// Items that may be on their way to a receiver in one class before it has stored any.
  public static let windowItems = 4_096
  /// Bytes that may be on their way to a receiver in one class before it has stored any.
  public static let windowBytes = 4 << 20
  /// Bytes that may wait to be sent in a session before it is ended, with 512 for each frame: twice the window, which a peer
  /// that reads never reaches.
  public static let unsentBytes = 8 << 20
  /// Items that may wait for one peer in one class.
  public static let queueItems: Int64 = 1_000_000
  /// Bytes that may wait for one peer in one class.
  public static let queueBytes: Int64 = 1 << 30
  /// Milliseconds of age after which a one-shot command runs out unless it was told otherwise, and the longest that may be asked for.
  public static let oneShotMilliseconds: Int64 = 86_400_000
  public static let longestLifetimeMilliseconds: Int64 = 366 * 86_400_000
  /// Programs whose use is recorded at one time.
  public static let recordedPrograms = 256
  /// Bytes a stranger may send before a valid handshake message.
  public static let strangerBytes = 4_096
  /// Milliseconds a stranger may take to finish a handshake.
  public static let strangerMilliseconds: Int64 = 10_000
  /// Strangers at one time, in all and from one source address.
  public static let strangers = 64
  public static let strangersPerSource = 8
  /// Milliseconds of silence after which a session sends a ping, and after which it is dead.
  public static let keepAliveMilliseconds: Int64 = 20_000
  public static let deadMilliseconds: Int64 = 60_000
  /// Milliseconds after the handshake within which the peer has said Hello.
  public static let greetingMilliseconds: Int64 = 10_000
  /// Frames, and milliseconds, after which a direction takes a new key.
  public static let rekeyFrames: UInt64 = 1 << 16
  public static let rekeyMilliseconds: Int64 = 3_600_000
  /// Milliseconds after which a session makes way for one with a new handshake.
  public static let sessionMilliseconds: Int64 = 86_400_000
  /// Refused items that one notice names, and notices that may wait for one peer.
  public static let refusalItems = 1_024
  public static let refusalNotices: Int64 = 16
  /// Refused items of one peer that are remembered, the newest.
  public static let refusedItems = 4_096
  /// Milliseconds by which another device's hybrid time may be ahead of this machine's wall clock and still be taken into its
  /// own hybrid clock.
  public static let aheadMilliseconds: Int64 = 86_400_000
  /// Milli-points per minute that a rule, a setting or a record may hold.
  public static let milliPointsPerMinute: ClosedRange<Int64> = 0...1_000_000_000
  /// Parents that a child's machine tells its other parents of, those paired last.
  public static let toldParents = 16
  /// Devices that one device may be paired with.
  public static let peers = 1_024
  /// Wrong guesses that spend a pairing code; also the runs of a typed code that a joiner lets go wrong.
  public static let pairingFailures = 5
  /// Milliseconds between a wrong guess and the next attempt of anybody.
  public static let pairingPauseMilliseconds: Int64 = 500
  /// Milliseconds between a source's first wrong guess and its next attempt; twice as long after each further one.
  public static let pairingSourcePauseMilliseconds: Int64 = 1_000
  /// The longest such pause, well within the time that a stranger gets.
  public static let longestPairingPauseMilliseconds: Int64 = 4_000
  /// Minutes a pairing code is open: the least, what is usual, the most.
  public static let pairingMinutes = (least: 1, usual: 5, most: 15)
  /// Milliseconds for a pairing's handshake and for each answer of the other machine.
  public static let pairingStepMilliseconds: Int64 = 10_000
  /// Milliseconds that a half-made pairing may wait for its other half before it is rolled back.
  public static let pairingCommitMilliseconds: Int64 = 60_000
  /// Milliseconds that a joiner goes on asking how a pairing ended that lapsed for want of the last word.
  public static let pairingDoubtMilliseconds: Int64 = 86_400_000
  /// Pairing codes open at one time.
  public static let invitations = 16
  /// Milliseconds within which a run that was superseded has to return twice to prove two live processes of one identity.
  public static let cloneMilliseconds: Int64 = 600_000
  /// Pairing codes that are open at the same moment are told apart by a number below this, of 10 bits.
  public static let discriminators: UInt16 = 1 << 10
  /// Announced instances whose owners a node remembers at once.
  public static let announcements = 512
  /// Addresses that a device tells of itself at once.
  public static let reachAddresses = 16
  /// Milliseconds that a session in doubt has to show a sign of life.
  public static let doubtMilliseconds: Int64 = 2_000
  /// Milliseconds of doubt without a sign of life after which the peer is called beside the session.
  public static let callBesideMilliseconds: Int64 = 500
  /// Addresses remembered of one paired device, over all networks.
  public static let addresses = 16
  /// Discovery keys of a household kept at most, the newest among them.
  public static let discoveryKeys = 16
  /// Sessions in which a removal was sent, and calls that were met with silence after one of them, that count as told.
  public static let removalSessions = 3
  public static let removalSilences = 5
  /// Calls met with silence, before the removal was ever sent, after which the remover waits to be called.
  public static let removalCalls = 256
}
