/// The first message of either side in a session.
///
/// Spec: Protocol/04-session.md §4.
public struct Hello: Hashable, Sendable {
  /// The reason why a session is refused although its key is known.
  public enum Refusal: UInt32, Sendable, Hashable {
    /// The two sides have no version in common.
    case version = 1
    case shuttingDown = 2
    /// Two live machines use the same keys.
    case duplicateIdentity = 3
  }

  /// The protocol versions that the sender supports.
  public var versions: ClosedRange<UInt32>
  /// The version of the sender's software, for people.
  public var software: String
  /// A random number of 16 bytes, chosen when the process starts; a new value means that older
  /// sessions with it are dead.
  public var runID: [UInt8]
  public var name: String
  /// The sender's role, for people.
  public var role: DeviceRole
  /// The reason why the sender refuses the session, if it does.
  public var refusal: Refusal?
  /// The number of items that may be in flight to the sender in each class.
  public var windowItems: UInt32
  /// The number of bytes that may be on their way to the sender in each class.
  public var windowBytes: UInt32
  /// The streams that the sender sends, with their epochs and last durable numbers.
  public var outgoing: [StreamPosition]
  /// The streams that the sender receives, with their epochs and the last numbers in force.
  public var incoming: [StreamPosition]
  /// The last item in force of each stream that the sender receives, which reveals a peer that was
  /// restored from a backup.
  public var held: [HeldItem]
  /// The ID of the pairwise key with which the sender answers calls, 8 bytes.
  public var keyID: [UInt8]
  /// The number of sessions with the receiver that were established in this run of the sender and
  /// have ended.
  public var endedSessions: UInt64
  /// The number of devices that the sender is paired with, including the receiver if the pairing is
  /// final.
  ///
  /// A child's machine remembers it, so that it does not query the network at the same moment as
  /// all its siblings after a power cut; Protocol/02-discovery.md §4 has the figures.
  public var devices: UInt32

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
