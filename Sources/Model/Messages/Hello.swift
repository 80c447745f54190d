/// The first message of either side in a session.
///
/// Spec: Protocol/04-session.md §4.
public struct Hello: Hashable, Sendable {
  /// Why a session is refused although its key is known.
  public enum Refusal: UInt32, Sendable, Hashable {
    /// No version both speak.
    case version = 1
    /// The sender is shutting down.
    case shuttingDown = 2
    /// Two live machines use one key.
    case duplicateIdentity = 3
  }

  /// The protocol versions that the sender supports.
  public var versions: ClosedRange<UInt32>
  /// The version of the sender's software, for people.
  public var software: String
  /// 16 random bytes made at the process's start: a new value says that older sessions of that device are dead.
  public var runID: [UInt8]
  /// The sender's name.
  public var name: String
  /// The sender's role, for people.
  public var role: DeviceRole
  /// The reason why the sender refuses the session, if it does.
  public var refusal: Refusal?
  /// What the sender may have on its way to us, per class.
  public var windowItems: UInt32
  /// The number of bytes that may be on their way to the sender in each class.
  public var windowBytes: UInt32
  /// The streams we send: epoch and last number made durable.
  public var outgoing: [StreamPosition]
  /// The streams we receive: epoch and last number in force here.
  public var incoming: [StreamPosition]
  /// The last item in force here of each stream we receive: what tells a restored sender's numbers from another past's.
  public var held: [HeldItem]
  /// The ID of the pairwise key with which the sender answers calls, 8 bytes.
  public var keyID: [UInt8]
  /// Sessions with the receiver that were up in this run of the sender and have ended for it.
  public var endedSessions: UInt64
  /// How many devices the sender is paired with, the receiver among them if the pairing is final.
  ///
  /// A child remembers it, so that after a power cut it does not ask the network at the same moment as all its siblings:
  /// Protocol/02-discovery.md §4 has the figures.
  public var devices: UInt32

  /// Creates a Hello.
  public init(
    versions: ClosedRange<UInt32> = Version.protocolRange, software: String = Version.software, runID: [UInt8],
    name: String, role: DeviceRole, refusal: Refusal? = nil, windowItems: UInt32 = UInt32(Limits.windowItems),
    windowBytes: UInt32 = UInt32(Limits.windowBytes), outgoing: [StreamPosition], incoming: [StreamPosition],
    held: [HeldItem] = [], keyID: [UInt8], endedSessions: UInt64 = 0, devices: UInt32 = 0
  ) {
    self.versions = versions
    self.software = software
    self.runID = runID
    self.name = name
    self.role = role
    self.refusal = refusal
    self.windowItems = windowItems
    self.windowBytes = windowBytes
    self.outgoing = outgoing
    self.incoming = incoming
    self.held = held
    self.keyID = keyID
    self.endedSessions = endedSessions
    self.devices = devices
  }
}
