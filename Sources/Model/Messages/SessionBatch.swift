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
