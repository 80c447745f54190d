/// The progress of a node, or of its link to one device, in exchanging queued items.
public enum SyncState: Hashable, Sendable {
  /// There are no peers, or no attempt was made yet.
  case idle
  case connecting
  /// Items are in flight.
  case syncing(done: UInt64, total: UInt64)
  /// No items wait on either side since a time in Unix milliseconds.
  case synced(at: Int64)
  /// The last attempt failed.
  ///
  /// `nextTryInMilliseconds` counts from the moment of the answer. It is `nil` if no address of the
  /// device is known; the device is then dialed as soon as it appears on the network.
  case error(reason: String, nextTryInMilliseconds: Int64?)
}

extension SyncState: Codable {
  /// The member `state` of the JSON.
  private enum Word: String, Codable {
    case idle, connecting, syncing, synced, error
  }

  private enum Member: CodingKey {
    case state, done, total, at, reason, nextTryInMilliseconds
  }

  /// Decodes the value from its JSON form.
  public init(from decoder: any Decoder) throws {
    let members = try decoder.container(keyedBy: Member.self)
    self =
      switch try members.decode(Word.self, forKey: .state) {
      case .idle: .idle
      case .connecting: .connecting
      case .syncing:
        .syncing(
          done: try members.decode(UInt64.self, forKey: .done), total: try members.decode(UInt64.self, forKey: .total))
      case .synced: .synced(at: try members.decode(Int64.self, forKey: .at))
      case .error:
        .error(
          reason: try members.decode(String.self, forKey: .reason),
          nextTryInMilliseconds: try members.decodeIfPresent(Int64.self, forKey: .nextTryInMilliseconds))
      }
  }

  /// Encodes the value in its JSON form.
  public func encode(to encoder: any Encoder) throws {
    var members = encoder.container(keyedBy: Member.self)
    switch self {
    case .idle: try members.encode(Word.idle, forKey: .state)
    case .connecting: try members.encode(Word.connecting, forKey: .state)
    case .syncing(let done, let total):
      try members.encode(Word.syncing, forKey: .state)
      try members.encode(done, forKey: .done)
      try members.encode(total, forKey: .total)
    case .synced(let at):
      try members.encode(Word.synced, forKey: .state)
      try members.encode(at, forKey: .at)
    case .error(let reason, let nextTry):
      try members.encode(Word.error, forKey: .state)
      try members.encode(reason, forKey: .reason)
      try members.encodeIfPresent(nextTry, forKey: .nextTryInMilliseconds)
    }
  }
}
