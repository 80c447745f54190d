/// The limits of the protocol.
///
/// Spec: Protocol/01-overview.md §6.
public enum Limits {
  /// The bytes of a device's name, of the software's version and of a zone's name.
  public static let nameBytes = 64
  /// The bytes of an application's ID and of its display name.
  public static let appIDBytes = 255
  /// The bytes of a matcher's value, of a reason and of a typed or pasted pairing code.
  public static let lineBytes = 1_024
  /// The bytes of a message to a person, of a typed line, and of one part of a request's path.
  public static let messageBytes = 4_096
  /// The bytes of a host's name or numeric address.
  public static let hostBytes = 255
  /// The bytes of a Noise message, and therefore of a frame's body.
  public static let frameBytes = 65_535
  /// The bytes of plaintext in one frame: the frame without the 16-byte tag.
  public static let batchBytes = frameBytes - 16
  public static let itemBodyBytes = 32_768
  /// The number of items in flight to a receiver in one class before it has stored any.
  public static let windowItems = 4_096
  /// The bytes in flight to a receiver in one class before it has stored any.
  public static let windowBytes = 4 << 20
  /// The bytes that may wait to be sent in a session before the session ends.
  ///
  /// It is twice the window, so that a peer that reads never causes it.
  public static let unsentBytes = 8 << 20
  /// The number of items that may wait for one peer in one class.
  public static let queueItems: Int64 = 1_000_000
  /// The bytes that may wait for one peer in one class.
  public static let queueBytes: Int64 = 1 << 30
  /// The default lifetime of a command that happens once, in milliseconds.
  public static let oneShotMilliseconds: Int64 = 86_400_000
  /// The longest lifetime that a person may choose for a command, in milliseconds.
  public static let longestLifetimeMilliseconds: Int64 = 366 * 86_400_000
  /// The number of programs whose use is recorded at the same time.
  public static let recordedPrograms = 256
  /// The number of programs up to which accounts may add one; the agent needs room for its own.
  public static let trackedPrograms = 192
  /// The bytes that an unauthenticated peer may send before a valid handshake message.
  public static let strangerBytes = 4_096
  /// The time in which an unauthenticated peer must complete a handshake, in milliseconds.
  public static let strangerMilliseconds: Int64 = 10_000
  /// The number of unauthenticated connections at the same time.
  public static let strangers = 64
  /// The number of unauthenticated connections from one source address at the same time.
  public static let strangersPerSource = 8
  /// The time without input after which a session sends a ping, in milliseconds.
  public static let keepAliveMilliseconds: Int64 = 20_000
  /// The time without input after which a session is dead, in milliseconds.
  public static let deadMilliseconds: Int64 = 60_000
  /// The time after the handshake in which the peer must send its Hello, in milliseconds.
  public static let greetingMilliseconds: Int64 = 10_000
  /// The number of frames after which a direction takes a new key.
  public static let rekeyFrames: UInt64 = 1 << 16
  /// The time after which a direction takes a new key, in milliseconds.
  public static let rekeyMilliseconds: Int64 = 3_600_000
  /// The age at which a session is replaced by one with a new handshake, in milliseconds.
  public static let sessionMilliseconds: Int64 = 86_400_000
  /// The number of refused items in one notice.
  public static let refusalItems = 1_024
  /// The number of refusal notices that may wait for one peer.
  public static let refusalNotices: Int64 = 16
  /// The number of refused items of one peer that are remembered, newest first.
  public static let refusedItems = 4_096
  /// How far another device's hybrid clock may be ahead and still be followed, in milliseconds.
  public static let aheadMilliseconds: Int64 = 86_400_000
  /// The milli-points per minute in a rule, a setting or a record.
  public static let milliPointsPerMinute: ClosedRange<Int64> = 0...1_000_000_000
  /// The number of parents, paired last, that a child's machine reports to its other parents.
  public static let toldParents = 16
  /// The number of registers in one command or item.
  public static let editRegisters = 128
  /// The most exceptions that the receipt of an edit names.
  public static let receiptExceptions = 16
  /// The number of bytes of their keys and values together.
  public static let editBytes = 24_576
  public static let factItems = 128
  /// The number of bytes for which they count together (`Fact.size`).
  public static let factBytes = 24_576
  /// The number of applications in the inventory of installed applications.
  public static let installedApps = 2_048
  /// The number of parts of an inventory, each of which is an item.
  public static let inventoryParts = 8
  /// The number of bytes for which the entries of one part count: their texts and 8 bytes for each.
  public static let inventoryBytes = 32_000
  /// The number of registers of one zone that a machine holds.
  public static let zoneRegisters = 4_096
  /// The number of another author's registers that a parent keeps for one child's machine.
  public static let toldRegisters = 4_096
  /// The number of bytes of their keys and values together.
  public static let toldRegisterBytes: Int64 = 4 << 20
  /// How long a child's machine keeps the use that other machines report: 15 days, in milliseconds.
  public static let sharedUseMilliseconds: Int64 = 15 * 86_400_000
  /// The number of usage records that a child's machine keeps of each other machine.
  public static let sharedRecords: Int64 = 20_000
  /// The number of devices that one device may be paired with.
  public static let peers = 1_024
  /// The number of wrong guesses that close a code, and of a joiner's failed runs of a typed code.
  public static let pairingFailures = 5
  /// The pause after a wrong guess before the next attempt from any source, in milliseconds.
  public static let pairingPauseMilliseconds: Int64 = 500
  /// The pause after a source's first wrong guess, in milliseconds; each further one doubles it.
  public static let pairingSourcePauseMilliseconds: Int64 = 1_000
  /// The longest pause of one source in milliseconds, which is well below `strangerMilliseconds`.
  public static let longestPairingPauseMilliseconds: Int64 = 4_000
  /// The minutes for which a pairing code is open: the minimum, the default and the maximum.
  public static let pairingMinutes = (least: 1, usual: 5, most: 15)
  /// The time for a pairing's handshake and for each answer of the other machine, in milliseconds.
  public static let pairingStepMilliseconds: Int64 = 10_000
  /// The time after which a half-completed pairing is rolled back, in milliseconds.
  public static let pairingCommitMilliseconds: Int64 = 60_000
  /// How long a joiner asks for the result if it missed the last message, in milliseconds.
  public static let pairingDoubtMilliseconds: Int64 = 86_400_000
  /// The number of pairing codes that may be open at the same time.
  public static let invitations = 16
  /// In this time, two returns of a superseded run prove that a live copy exists; in milliseconds.
  public static let cloneMilliseconds: Int64 = 600_000
  /// The exclusive upper bound of the 10-bit number that tells open pairing codes apart.
  public static let discriminators: UInt16 = 1 << 10
  /// The number of announced instances whose owners a node remembers at the same time.
  public static let announcements = 512
  /// The number of its own addresses that a device states at the same time.
  public static let reachAddresses = 16
  /// The time in which a session in doubt must receive something, in milliseconds.
  public static let doubtMilliseconds: Int64 = 2_000
  /// The time of doubt after which the node also dials the peer, in milliseconds.
  public static let callBesideMilliseconds: Int64 = 500
  /// The number of addresses that are remembered of one paired device, over all networks.
  public static let addresses = 16
  /// The number of a household's discovery keys that are kept, newest first.
  public static let discoveryKeys = 16
  /// The number of sessions in which a removal was sent that count as having told the peer.
  public static let removalSessions = 3
  /// The number of unanswered dials after a removal was sent that count as having told the peer.
  public static let removalSilences = 5
  /// The number of dials, unanswered before a removal was sent, after which the peer has to dial.
  public static let removalCalls = 256
}

/// The versions of the software and the protocol.
public enum Version {
  public static let software = "0.1.0"
  /// The lowest and highest protocol version that is supported (01 §5).
  public static let protocolRange: ClosedRange<UInt32> = 1...1
}
