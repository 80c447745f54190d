import LatchkeyModel

/// One session of a link, from the end of its handshake on; the roster knows which of them is kept.
package struct LinkSession: Sendable {
  /// How far its opening has got. The diagram is in Protocol/04-session.md §8.
  package enum Phase: Sendable {
    /// The peer's Hello is awaited.
    case greeting
    /// The disk looks at what the Hello says; the rest of its batch waits. The Hello states more of the classes `ahead` than had
    /// a number here when it came.
    case judging(Hello, rest: SessionBatch, ahead: Set<StreamClass>)
    /// It has looked, and the streams are being read anew (§11).
    case judged(Hello, rest: SessionBatch, foreign: Set<StreamClass>)
    /// Both sides have said Hello, and this session is the one that is kept.
    case up
  }

  let ends: SessionEnds
  /// Whether this side called.
  package let isOurs: Bool
  /// The PSK that it was opened with, 32 bytes: only one with a pending pairing's key completes that pairing.
  package let pairwiseKey: [UInt8]
  /// The key of a half-made pairing that our call offered; nil when it offered none, or the peer called.
  let offeredKey: [UInt8]?
  let openedAt: BootInstant
  package var rules: SessionRules
  package var phase = Phase.greeting
  /// Whether the connection takes no more for the moment.
  var isFull = false
  /// Where the peer was told that this machine can be called; nil until it was.
  var toldReach: Reach?
  /// When both sides say again what they hold.
  var reconcileAt: BootInstant

  /// Milliseconds after which both sides say again what they hold.
  static let reconcileMilliseconds: Int64 = 15 * 60_000

  init(ends: SessionEnds, isOurs: Bool, pairwiseKey: [UInt8], offeredKey: [UInt8]?, now: BootInstant) {
    self.ends = ends
    self.isOurs = isOurs
    self.pairwiseKey = pairwiseKey
    self.offeredKey = offeredKey
    openedAt = now
    rules = SessionRules(now: now)
    reconcileAt = now + Self.reconcileMilliseconds
  }

  /// Whether its next frame may be taken: not while the disk looks at its Hello.
  var wantsFrames: Bool {
    switch phase {
    case .greeting, .up: true
    case .judging, .judged: false
    }
  }
}

/// The two ends of a connection, as this machine sees them.
public struct SessionEnds: Hashable, Sendable {
  /// `host:port` of the other end.
  public var remote: String
  /// The hosts without a scope, and as IPv4 where they stand for that.
  public var remoteHost: String
  public var localHost: String

  public init(remote: String, remoteHost: String, localHost: String) {
    self.remote = remote
    self.remoteHost = SocketEndpoint.plain(remoteHost)
    self.localHost = SocketEndpoint.plain(localHost)
  }

  /// Whether an address is of the IP version that the connection uses.
  func isOfVersion(_ endpoint: SocketEndpoint) -> Bool {
    endpoint.plainHost.contains(":") == remoteHost.contains(":")
  }

  /// Whether the other end is on the machine that an address names.
  public func isAt(_ endpoint: SocketEndpoint) -> Bool { endpoint.plainHost == remoteHost }
}

/// Who this side of a link is, and what its Hello says of itself.
public struct LinkSettings: Sendable {
  public var device: DeviceID
  /// 16 bytes, new with each start of the process.
  public var runID: [UInt8]
  public var name: String
  public var role: DeviceRole
  /// What the peer may have on its way here, for each class.
  public var windowItems = UInt32(Limits.windowItems)
  public var windowBytes = UInt32(Limits.windowBytes)
  /// Bytes of encoded items in one batch.
  public var batchBytes = Limits.batchBytes - 256
  /// Throws when a run holds what its sender cannot have made, or what must not be passed over.
  public var verify: @Sendable (ItemRun) throws(SessionFault) -> Void

  /// Gives the host that an address of 4 or 16 bytes names; nil when no other machine can be called there.
  public var host: @Sendable ([UInt8]) -> String?

  public init(
    device: DeviceID, runID: [UInt8], name: String, role: DeviceRole, host: @escaping @Sendable ([UInt8]) -> String?,
    verify: @escaping @Sendable (ItemRun) throws(SessionFault) -> Void
  ) {
    self.device = device
    self.runID = runID
    self.name = name
    self.role = role
    self.host = host
    self.verify = verify
  }
}

/// What a link has to know of the machine that it runs on and of the network.
public struct LinkSurroundings: Hashable, Sendable {
  /// Devices that this one is paired with.
  public var devices: Int
  /// Machines that may be calling at the same moment, as far as is known.
  public var crowd: Int
  /// Where this machine can be called; nil while it cannot.
  public var reach: Reach?
  /// All addresses of this machine, as text without a scope.
  public var ownHosts: Set<String>

  public init(devices: Int = 0, crowd: Int = 1, reach: Reach? = nil, ownHosts: Set<String> = []) {
    self.devices = devices
    self.crowd = crowd
    self.reach = reach
    self.ownHosts = ownHosts
  }
}

/// A peer's streams in both directions, as the disk holds them at one moment.
public struct LinkStreams: Hashable, Sendable {
  public var outbox: [StreamClass: OutboxPosition]
  public var inbox: [StreamPosition]
  public var held: [HeldItem]

  public init(outbox: [StreamClass: OutboxPosition] = [:], inbox: [StreamPosition] = [], held: [HeldItem] = []) {
    self.outbox = outbox
    self.inbox = inbox
    self.held = held
  }
}
