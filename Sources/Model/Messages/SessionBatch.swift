/// What one frame of a session carries. Spec: Protocol/04-session.md §3.
public struct SessionBatch: Hashable, Sendable {
  public var hello: Hello?
  public var runs: [ItemRun]
  /// What is durable and in force at the sender of this batch.
  public var stored: [StreamPosition]
  public var ping: UInt64?
  public var pong: UInt64?
  public var goodbye: Goodbye?
  /// The sender's next frame uses the next key of this direction.
  public var rekey: Bool
  /// Where the sender can be called, when it has news of that.
  public var reach: Reach?

  public init(
    hello: Hello? = nil, runs: [ItemRun] = [], stored: [StreamPosition] = [], ping: UInt64? = nil, pong: UInt64? = nil,
    goodbye: Goodbye? = nil, rekey: Bool = false, reach: Reach? = nil
  ) {
    self.hello = hello
    self.runs = runs
    self.stored = stored
    self.ping = ping
    self.pong = pong
    self.goodbye = goodbye
    self.rekey = rekey
    self.reach = reach
  }
}
