/// An item that waits for a peer.
public struct QueueEntry: Hashable, Sendable, Codable {
  /// The content of an item, as far as this machine can decode it.
  public enum Content: Hashable, Sendable {
    case command(ConfigurationCommand)
    case receipt(CommandReceipt)
    case usage(UsageRecord)
    case loss(UsageLoss)
    /// A removal or new keys, whose secrets and signatures are not shown.
    case control
    /// The body cannot be decoded on this machine.
    case unreadable
  }

  public var device: DeviceID
  public var streamClass: StreamClass
  public var number: UInt64
  /// The bytes that the item counts in its queue.
  public var bytes: Int64
  /// The time at which the item was queued, in Unix milliseconds by this machine's wall clock.
  public var acceptedAt: Int64
  /// The time since the item was queued in milliseconds, by a clock that never jumps.
  public var ageMilliseconds: Int64
  /// A Boolean value that indicates whether it was sent in this session and not stored yet.
  public var isInFlight: Bool
  /// The time until the item expires in milliseconds; `nil` for never.
  public var expiresInMilliseconds: Int64?
  public var content: Content

  public init(
    device: DeviceID, streamClass: StreamClass, number: UInt64, bytes: Int64, acceptedAt: Int64, ageMilliseconds: Int64,
    isInFlight: Bool = false, expiresInMilliseconds: Int64? = nil, content: Content
  ) {
    (self.device, self.streamClass, self.number) = (device, streamClass, number)
    (self.bytes, self.acceptedAt, self.ageMilliseconds) = (bytes, acceptedAt, ageMilliseconds)
    (self.isInFlight, self.expiresInMilliseconds, self.content) = (isInFlight, expiresInMilliseconds, content)
  }
}

extension QueueEntry.Content: Codable {
  /// The member `kind` of the JSON; the content is in the member of that name.
  private enum Kind: String, Codable { case command, receipt, usage, loss, control, unreadable }

  private enum Member: CodingKey { case kind, command, receipt, usage, loss }

  public init(from decoder: any Decoder) throws {
    let members = try decoder.container(keyedBy: Member.self)
    self =
      switch try members.decode(Kind.self, forKey: .kind) {
      case .command: .command(try members.decode(ConfigurationCommand.self, forKey: .command))
      case .receipt: .receipt(try members.decode(CommandReceipt.self, forKey: .receipt))
      case .usage: .usage(try members.decode(UsageRecord.self, forKey: .usage))
      case .loss: .loss(try members.decode(UsageLoss.self, forKey: .loss))
      case .control: .control
      case .unreadable: .unreadable
      }
  }

  public func encode(to encoder: any Encoder) throws {
    var members = encoder.container(keyedBy: Member.self)
    switch self {
    case .command(let command):
      try members.encode(Kind.command, forKey: .kind)
      try members.encode(command, forKey: .command)
    case .receipt(let receipt):
      try members.encode(Kind.receipt, forKey: .kind)
      try members.encode(receipt, forKey: .receipt)
    case .usage(let record):
      try members.encode(Kind.usage, forKey: .kind)
      try members.encode(record, forKey: .usage)
    case .loss(let loss):
      try members.encode(Kind.loss, forKey: .kind)
      try members.encode(loss, forKey: .loss)
    case .control: try members.encode(Kind.control, forKey: .kind)
    case .unreadable: try members.encode(Kind.unreadable, forKey: .kind)
    }
  }
}
