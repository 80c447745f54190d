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
    self.streamClass = streamClass
    self.epoch = epoch
    self.through = through
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
    self.epoch = epoch
    self.storedThrough = storedThrough
    self.last = last
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
    self.streamClass = streamClass
    self.sequence = sequence
    self.itemID = itemID
  }
}

/// The reason why a stream has to be restarted.
///
/// Spec: Protocol/05-delivery.md §5.
public enum RestartCause: Hashable, Sendable {
  /// The peer has lost what it reported as stored beyond this number of the epoch, since it was
  /// erased or restored from a backup.
  ///
  /// `earlier` is its position in another epoch; `nil` if it holds this epoch, or none.
  case peerLost(after: UInt64, earlier: StreamPosition? = nil)
  /// The peer holds items that are unknown here, since this machine was restored from a backup.
  case peerIsAhead
}
