/// The content of one frame of a session.
///
/// Spec: Protocol/04-session.md §3.
public struct SessionBatch: Hashable, Sendable {
  /// The sender's Hello, in its first batch only.
  public var hello: Hello?
  public var runs: [ItemRun]
  /// The streams that the sender receives, with the last numbers durable and in force.
  public var stored: [StreamPosition]
  /// The number of a ping, to be answered with the same number.
  public var ping: UInt64?
  public var pong: UInt64?
  public var goodbye: Goodbye?
  /// A Boolean value that indicates whether the sender's next frame has a new key.
  public var rekey: Bool
  /// The endpoints at which the sender accepts connections, if they have changed.
  public var reach: Reach?
  /// The names of the two devices, if they have changed.
  public var labels: SessionLabels?

  public init(
    hello: Hello? = nil, runs: [ItemRun] = [], stored: [StreamPosition] = [], ping: UInt64? = nil, pong: UInt64? = nil,
    goodbye: Goodbye? = nil, rekey: Bool = false, reach: Reach? = nil, labels: SessionLabels? = nil
  ) {
    (self.hello, self.runs, self.stored, self.ping, self.pong) = (hello, runs, stored, ping, pong)
    (self.goodbye, self.rekey, self.reach, self.labels) = (goodbye, rekey, reach, labels)
  }
}

/// The endpoints at which the sender of a batch accepts connections.
///
/// Spec: Protocol/04-session.md §3.
public struct Reach: Hashable, Sendable {
  /// The TCP port of the listener; not 0.
  public var port: UInt16
  /// The addresses, 4 or 16 bytes each, IPv4 first; at most `Limits.reachAddresses`.
  public var addresses: [[UInt8]]

  public init(port: UInt16, addresses: [[UInt8]]) { (self.port, self.addresses) = (port, addresses) }
}

/// The reason why a side ends a session.
///
/// Spec: Protocol/04-session.md §7.
public enum Goodbye: UInt32, Sendable, Hashable {
  case shuttingDown = 1
  /// The other of two simultaneous sessions is kept.
  case duplicate = 2
  /// The session is a day old and needs a new handshake.
  case renew = 3
  /// The receiver violated the protocol.
  case protocolError = 4
  /// The peer was removed from the household.
  case removed = 5
  /// The two sides have no version in common.
  case version = 6
  /// Two live machines use the receiver's keys.
  case duplicateIdentity = 7
}

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
  /// 16 random bytes of the process; a new value means that older sessions are dead.
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
  /// The last item in force of each received stream, which reveals a restored peer.
  public var held: [HeldItem]
  /// The ID of the pairwise key with which the sender answers calls, 8 bytes.
  public var keyID: [UInt8]
  /// The number of sessions with the receiver that have ended in this run of the sender.
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
    (self.versions, self.software, self.runID, self.name) = (versions, software, runID, name)
    (self.role, self.refusal, self.windowItems, self.windowBytes) = (role, refusal, windowItems, windowBytes)
    (self.outgoing, self.incoming, self.held, self.keyID) = (outgoing, incoming, held, keyID)
    (self.endedSessions, self.devices) = (endedSessions, devices)
  }
}
