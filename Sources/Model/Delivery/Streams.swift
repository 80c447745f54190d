/// The kinds of stream between two devices, most urgent first.
///
/// Spec: Protocol/05-delivery.md §1.
public enum StreamClass: UInt8, Sendable, Hashable, CaseIterable, Comparable, Codable {
  /// Removal and roles.
  case control = 1
  case command = 2
  case receipt = 3
  case usage = 4

  public static func < (left: StreamClass, right: StreamClass) -> Bool { left.rawValue < right.rawValue }

  public init?(word: String) {
    guard let match = Self.allCases.first(where: { $0.word == word.lowercased() }) else { return nil }
    self = match
  }

  /// The word of the local API and of the log.
  public var word: String { Self.words[Int(rawValue) - 1] }
  private static let words = ["control", "command", "receipt", "usage"]

  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    let word = try container.decode(String.self)
    guard let match = StreamClass(word: word) else {
      throw DecodingError.dataCorruptedError(in: container, debugDescription: "There is no such class.")
    }
    self = match
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(word)
  }
}

/// A position in a stream: everything up to and including `through` of `epoch`.
///
/// Spec: Protocol/05-delivery.md §2.
public struct StreamPosition: Hashable, Sendable {
  public var streamClass: StreamClass
  /// A random number; 0 if there is none yet.
  public var epoch: UInt64
  /// The last number, counted from 1; 0 if there is none.
  public var through: UInt64

  public init(streamClass: StreamClass, epoch: UInt64, through: UInt64) {
    (self.streamClass, self.epoch, self.through) = (streamClass, epoch, through)
  }
}

/// The progress of an outgoing stream in the store.
public struct OutboxPosition: Hashable, Sendable {
  /// A random number other than 0.
  public var epoch: UInt64
  /// The last number that the peer reported as stored.
  public var storedThrough: UInt64
  /// The last number that is durable here.
  public var last: UInt64

  public init(epoch: UInt64, storedThrough: UInt64, last: UInt64) {
    (self.epoch, self.storedThrough, self.last) = (epoch, storedThrough, last)
  }
}

/// The last item of a stream that a receiver has stored and that is not a skip.
///
/// Spec: Protocol/05-delivery.md §4.
public struct HeldItem: Hashable, Sendable {
  public var streamClass: StreamClass
  public var sequence: UInt64
  /// The ID of the item, 16 bytes.
  public var itemID: [UInt8]

  public init(streamClass: StreamClass, sequence: UInt64, itemID: [UInt8]) {
    (self.streamClass, self.sequence, self.itemID) = (streamClass, sequence, itemID)
  }
}

/// The streams with a peer in both directions, as the database held them at one moment.
public struct LinkStreams: Hashable, Sendable {
  /// The positions of the outgoing streams.
  public var outbox: [StreamClass: OutboxPosition]
  /// The watermarks of the incoming streams.
  public var inbox: [StreamPosition]
  /// The last item of each incoming stream that is durable and not a skip.
  public var held: [HeldItem]

  public init(outbox: [StreamClass: OutboxPosition] = [:], inbox: [StreamPosition] = [], held: [HeldItem] = []) {
    (self.outbox, self.inbox, self.held) = (outbox, inbox, held)
  }
}

/// The reason why a stream has to be restarted.
///
/// Spec: Protocol/05-delivery.md §5.
public enum RestartCause: Hashable, Sendable {
  /// The peer was erased or restored from a backup. It lost the items after this number of the
  /// epoch, which it had reported as stored.
  ///
  /// `earlier` is its position in another epoch; `nil` if it holds this epoch, or none.
  case peerLost(after: UInt64, earlier: StreamPosition? = nil)
  /// The peer holds items that are unknown here, since this machine was restored from a backup.
  case peerIsAhead
}

/// The limits on items that wait for one peer in one class.
///
/// Spec: Protocol/05-delivery.md §9.
public struct QueueCaps: Hashable, Sendable {
  public var items: Int64
  /// The largest total size: the bodies, the IDs, and 16 bytes for each item.
  public var bytes: Int64

  public init(items: Int64 = Limits.queueItems, bytes: Int64 = Limits.queueBytes) {
    (self.items, self.bytes) = (items, bytes)
  }
}

/// The reason why an item left a queue without being delivered.
///
/// Spec: Protocol/05-delivery.md §9.
public enum DeliveryFate: String, Codable, Sendable, Hashable, CaseIterable {
  /// Its life time ended.
  case expired
  case cancelled
  /// It was merged into a total, which is delivered.
  case merged
  /// There was no space for it, so the receiver never gets it.
  case dropped
  /// The receiver refused it and reported so.
  case refused
}
