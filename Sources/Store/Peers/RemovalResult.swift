import LatchkeyModel

/// What removing a device brought about, to be made visible now that it is durable.
public struct RemovalResult: Hashable, Sendable {
  /// Commands for it that had not been executed, oldest first.
  public var cancelled: [CommandID] = []
  /// Records and receipts that waited for it.
  public var droppedItems = 0
  /// The stream that carries the removal, if it is to be told.
  public var change: OutboxChange?
  /// Streams of the devices that stay, which got new keys.
  public var rotations: [OutboxChange] = []
}
