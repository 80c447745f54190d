/// The content of one frame of a session.
///
/// Spec: Protocol/04-session.md §3.
public struct SessionBatch: Hashable, Sendable {
  /// The sender's Hello, in its first batch only.
  public var hello: Hello?
  /// Items of the sender's streams.
  public var runs: [ItemRun]
  /// The streams that the sender of this batch receives, with the last numbers durable and in
  /// force.
  public var stored: [StreamPosition]
  /// The number of a ping, to be answered with the same number.
  public var ping: UInt64?
  /// The number of the ping that is answered.
  public var pong: UInt64?
  /// The reason why the sender ends the session.
  public var goodbye: Goodbye?
  /// A Boolean value that indicates whether the sender's next frame uses the next key of this
  /// direction.
  public var rekey: Bool
  /// The endpoints at which the sender accepts connections, if they have changed.
  public var reach: Reach?
  /// The names of the two devices, if they have changed.
  public var labels: SessionLabels?

  public init(
    hello: Hello? = nil, runs: [ItemRun] = [], stored: [StreamPosition] = [], ping: UInt64? = nil, pong: UInt64? = nil,
    goodbye: Goodbye? = nil, rekey: Bool = false, reach: Reach? = nil,
    labels: SessionLabels? = nil
  ) {
    self.hello = hello
    self.runs = runs
    self.stored = stored
    self.ping = ping
    self.pong = pong
    self.goodbye = goodbye
    self.rekey = rekey
    self.reach = reach
    self.labels = labels
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

  public init(port: UInt16, addresses: [[UInt8]]) {
    self.port = port
    self.addresses = addresses
  }
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
