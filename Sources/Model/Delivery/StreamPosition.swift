/// A point in a stream: everything up to and including `through` of `epoch`. Spec: Protocol/05-delivery.md §2.
public struct StreamPosition: Hashable, Sendable {
  public var streamClass: StreamClass
  /// Random, never 0; 0 stands for "none yet".
  public var epoch: UInt64
  /// 0 stands for nothing; numbers start at 1.
  public var through: UInt64

  public init(streamClass: StreamClass, epoch: UInt64, through: UInt64) {
    self.streamClass = streamClass
    self.epoch = epoch
    self.through = through
  }
}
