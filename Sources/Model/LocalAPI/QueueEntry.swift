/// One item that waits for a peer, as a person looks into a queue.
public struct QueueEntry: Hashable, Sendable, Codable {
  /// What an item holds, as far as this machine can tell.
  public enum Content: Hashable, Sendable {
    case command(ConfigurationCommand)
    case receipt(CommandReceipt)
    case usage(UsageRecord)
    /// Usage that was dropped.
    case loss(UsageLoss)
    /// A removal or new keys: secrets and signatures are not shown.
    case control
    /// Its body cannot be read here.
    case unreadable
  }

  /// For whom it waits.
  public var device: DeviceID
  public var streamClass: StreamClass
  public var number: UInt64
  /// Bytes that it counts for.
  public var bytes: Int64
  /// Unix milliseconds by this machine's wall clock.
  public var acceptedAt: Int64
  /// How long it has waited, by a clock that goes on over sleep and restarts and does not jump.
  public var ageMilliseconds: Int64
  /// Whether it was sent in the session that is open now, and not reported stored yet.
  public var isInFlight: Bool
  /// Milliseconds until it runs out; nil for never.
  public var expiresInMilliseconds: Int64?
  public var content: Content

  public init(
    device: DeviceID, streamClass: StreamClass, number: UInt64, bytes: Int64, acceptedAt: Int64, ageMilliseconds: Int64,
    isInFlight: Bool = false, expiresInMilliseconds: Int64? = nil, content: Content
  ) {
    self.device = device
    self.streamClass = streamClass
    self.number = number
    self.bytes = bytes
    self.acceptedAt = acceptedAt
    self.ageMilliseconds = ageMilliseconds
    self.isInFlight = isInFlight
    self.expiresInMilliseconds = expiresInMilliseconds
    self.content = content
  }
}

extension QueueEntry.Content: Codable {
  /// The member `kind` of the JSON.
  ///
  /// What an item holds is a member of the kind's name.
  private enum Kind: String, Codable {
    case command, receipt, usage, loss, control, unreadable
  }

  private enum Member: CodingKey {
    case kind, command, receipt, usage, loss
  }

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
