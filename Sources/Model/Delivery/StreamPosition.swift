/// A position in a stream: everything up to and including `through` of `epoch`.
///
/// Spec: Protocol/05-delivery.md §2.
public struct StreamPosition: Hashable, Sendable {
  /// The class of the stream.
  public var streamClass: StreamClass
  /// A random number; 0 if there is none yet.
  public var epoch: UInt64
  /// The last number, counted from 1; 0 if there is none.
  public var through: UInt64

  /// Creates a position.
  public init(streamClass: StreamClass, epoch: UInt64, through: UInt64) {
    self.streamClass = streamClass
    self.epoch = epoch
    self.through = through
  }
}
