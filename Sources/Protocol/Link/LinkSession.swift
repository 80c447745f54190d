import LatchkeyModel

/// A session of a link, from the end of its handshake.
///
/// The roster decides which session is kept.
package struct LinkSession: Sendable {
  /// The progress of opening a session; Protocol/04-session.md §8 has the diagram.
  ///
  /// The content of the phases before the last is kept apart, so that an open session has no room
  /// for it.
  package enum Phase: Sendable {
    /// The session waits for the peer's Hello.
    case greeting
    /// The database is checking the Hello, and the rest of its batch waits.
    ///
    /// In the classes `ahead`, the Hello states more items than had a number here when it arrived.
    indirect case judging(Hello, rest: SessionBatch, ahead: Set<StreamClass>)
    /// The Hello was checked, and the streams are being read again (§11).
    indirect case judged(Hello, rest: SessionBatch, foreign: Set<StreamClass>)
    /// Both sides have sent a Hello, and this session is the one that is kept.
    case up
  }

  let ends: SessionEnds
  /// A Boolean value that indicates whether this side called.
  package let isOurs: Bool
  /// The pre-shared key of the session, 32 bytes; only a session with a pending pairing's key
  /// completes that pairing.
  package let pairwiseKey: [UInt8]
  /// The key of an incomplete pairing that this side offered; `nil` if it offered none, or the peer
  /// called.
  let offeredKey: [UInt8]?
  let openedAt: BootInstant
  package var rules: SessionRules
  package var phase = Phase.greeting
  /// A Boolean value that indicates whether the connection has no room for more data at present.
  var isFull = false
  /// The addresses of this machine that were last sent to the peer; `nil` if none were.
  var toldReach: Reach?
  /// The names of the two devices that were sent to the peer; `nil` before that.
  var toldLabels: SessionLabels?
  /// The time at which both sides repeat their positions.
  var reconcileAt: BootInstant

  /// The time after which both sides repeat their positions, in milliseconds.
  static let reconcileMilliseconds: Int64 = 15 * 60_000

  init(ends: SessionEnds, isOurs: Bool, pairwiseKey: [UInt8], offeredKey: [UInt8]?, now: BootInstant) {
    (self.ends, self.isOurs, self.pairwiseKey, self.offeredKey) = (ends, isOurs, pairwiseKey, offeredKey)
    openedAt = now
    rules = SessionRules(now: now)
    reconcileAt = now + Self.reconcileMilliseconds
  }

  /// A Boolean value that indicates whether the next frame may be read; it is `false` while the
  /// Hello is being checked.
  var wantsFrames: Bool {
    switch phase {
    case .greeting, .up: true
    case .judging, .judged: false
    }
  }
}

/// The two ends of a connection as this machine sees them.
public struct SessionEnds: Hashable, Sendable {
  /// The other end as `host:port`.
  public var remote: String
  /// The host, like `localHost`, without its scope; an IPv4 address that is mapped into IPv6 is
  /// given as IPv4.
  public var remoteHost: String
  public var localHost: String

  public init(remote: String, remoteHost: String, localHost: String) {
    self.remote = remote
    self.remoteHost = SocketEndpoint.plain(remoteHost)
    self.localHost = SocketEndpoint.plain(localHost)
  }

  /// Returns whether an address has the IP version that the connection uses.
  func isOfVersion(_ endpoint: SocketEndpoint) -> Bool { endpoint.plainHost.contains(":") == remoteHost.contains(":") }
  public func isAt(_ endpoint: SocketEndpoint) -> Bool { endpoint.plainHost == remoteHost }
}

/// The identity of this side of a link, and the settings that its Hello states.
public struct LinkSettings: Sendable {
  public var device: DeviceID
  /// The ID of this process, 16 bytes; it changes with each start.
  public var runID: [UInt8]
  public var name: String
  public var role: DeviceRole
  /// The amount that the peer may send in each class before it is acknowledged.
  public var windowItems = UInt32(Limits.windowItems)
  /// The number of bytes that the peer may send in each class before they are acknowledged.
  public var windowBytes = UInt32(Limits.windowBytes)
  /// The largest size of the encoded items in one batch, in bytes.
  public var batchBytes = Limits.batchBytes - 256
  /// Checks a run; throws if its sender cannot have created its content, or if it contains a kind
  /// that must not be ignored.
  public var verify: @Sendable (ItemRun) throws(SessionFault) -> Void
  /// Prepares a run of new items that were checked, so that its transaction has less to do.
  public var prepare: @Sendable (inout ItemRun) -> Void = { _ in }

  /// Returns the host for an address of 4 or 16 bytes; `nil` if no other machine can be called
  /// there.
  public var host: @Sendable ([UInt8]) -> String?

  public init(
    device: DeviceID, runID: [UInt8], name: String, role: DeviceRole, host: @escaping @Sendable ([UInt8]) -> String?,
    verify: @escaping @Sendable (ItemRun) throws(SessionFault) -> Void
  ) {
    (self.device, self.runID, self.name) = (device, runID, name)
    (self.role, self.host, self.verify) = (role, host, verify)
  }
}

/// The properties of its own machine and of the network that a link needs.
public struct LinkSurroundings: Hashable, Sendable {
  public var devices: Int
  /// The number of machines that may be calling at the same moment, as far as is known.
  public var crowd: Int
  /// The addresses at which this machine can be called; `nil` if there are none.
  public var reach: Reach?
  /// All addresses of this machine, as text without a scope.
  public var ownHosts: Set<String>

  public init(devices: Int = 0, crowd: Int = 1, reach: Reach? = nil, ownHosts: Set<String> = []) {
    (self.devices, self.crowd, self.reach, self.ownHosts) = (devices, crowd, reach, ownHosts)
  }
}
